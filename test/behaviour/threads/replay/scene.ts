import { readFileSync } from 'node:fs';
import { canonicalLine } from '../../../../src/app/thread/canonical-line.ts';
import type { LogLine } from '../../../../src/base/log.ts';
import type { RecordedLine } from '../../../../src/engine/replay/recorded-line.ts';
import { type Replay, replayThread } from '../../../../src/engine/replay/replay-thread.ts';
import { type AgentOptions, defineTool } from '../../../../src/index.ts';
import { lineDecoder } from '../../../../src/log/rollout-line.ts';
import { call, encodeReply, fault, type RecordedRequest, reply, say, think } from '../../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../../harness/library-scene.ts';
import { asksForSummary, counting } from '../compaction/scene.ts';

const BROKEN = reply(say('half'), call('slow', {}));

/** A line of a rollout file that a test may change. */
export type FileLine = LogLine & { timestamp: string; ordinal: number };

export interface EventfulThread {
  readonly scene: LibraryScene;
  readonly id: string;
  /** Empty unless the thread is stored in a file. */
  readonly path: string;
}

/**
 * Runs a thread of several turns with most events that exist: parallel calls, a refused call, a call that does not
 * exist, input during a turn, broken responses, a compaction, a failed turn and an interrupted one.
 */
export async function eventfulThread(options: AgentOptions = {}): Promise<EventfulThread> {
  const interruption = new AbortController();
  const slow = defineTool({
    name: 'slow',
    description: 'Takes its time.',
    parameters: { type: 'object' },
    mutating: false,
    run: async () => 'slow output',
  });
  const steering = defineTool({
    name: 'steering',
    description: 'Lets the user speak.',
    parameters: { type: 'object' },
    async run() {
      const id = await thread.steer('and this');
      await thread.editQueued(id, 'and that');
      await thread.removeQueued(await thread.steer('not this'));
      return 'heard';
    },
  });
  const stopping = defineTool({
    name: 'stopping',
    description: 'Ends the turn.',
    parameters: { type: 'object' },
    async run() {
      interruption.abort(new Error('interrupted'));
      return 'too late';
    },
  });
  const answers = [
    reply(think('hm'), call('slow', {}), call('exec_command', { cmd: 'echo 1' }), call('nope', {}), call('slow', {})),
    fault.cut(BROKEN, encodeReply(BROKEN).lastIndexOf('event: response.completed')),
    reply(call('steering', {}), counting(50_000)),
    reply(think('so'), say('first')),
    reply(call('exec_command', { cmd: 'touch x' })),
    reply(say('second')),
    fault.status(400, { error: { message: 'No.' } }),
    reply(call('stopping', {}), call('slow', {})),
  ];
  let next = 0;
  const script = (request: RecordedRequest) =>
    asksForSummary(request) ? reply(say('What was done.')) : (answers[next++] ?? reply(say('more')));
  const config = { model_auto_compact_token_limit: 40_000, approval_policy: 'untrusted' };
  const scene = await libraryScene(script, config, { ...options, tools: [slow, steering, stopping] });
  let asked = 0;
  const ask = async () => (asked++ === 0 ? ('denied' as const) : ('approved' as const));
  const thread = await scene.agent.startThread({ ask });
  await thread.run('one');
  await thread.run('two', { baseInstructions: 'Be brief.' });
  await thread.run('three');
  await thread.run('four', { signal: interruption.signal });
  await thread.run('five');
  await thread.close();
  return { scene, id: thread.id, path: thread.path ?? '' };
}

export function readFileLines(path: string): FileLine[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as FileLine);
}

/** Replays lines as if they stood in a file. */
export function replayLines(lines: readonly FileLine[]): Promise<Replay> {
  const decode = lineDecoder(canonicalLine);
  return replayThread(async function* () {
    for (const [index, raw] of lines.entries()) {
      const line = decode(Buffer.from(JSON.stringify(raw)), () => {});
      if (line) yield { number: index + 1, ordinal: raw.ordinal, line } satisfies RecordedLine;
    }
  });
}
