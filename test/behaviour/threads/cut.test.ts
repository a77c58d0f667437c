import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Item, isCallOutput } from '../../../src/base/item.ts';
import type { LogLine } from '../../../src/base/log.ts';
import { call, customCall, reply, say, think } from '../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../harness/library-scene.ts';
import { notCompared } from '../../harness/replay-rollouts.ts';
import { requestFaults } from '../../harness/request-faults.ts';

const BYTES_BETWEEN_CUTS = 397;

test('a log that was cut off anywhere continues with a valid request and repeats nothing', async () => {
  notCompared('the log is cut behind the back of the thread');
  const s = await libraryScene(answer);
  const { id, path, log } = await wholeLog(s);
  const effects = s.workspace.read('effects');
  const cuts = cutsOf(log);
  expect(cuts.length).toBeGreaterThan(100);
  for (const cut of cuts) {
    writeFileSync(path, log.subarray(0, cut));
    const before = s.model.requests.length;
    const thread = await s.agent.resumeThread(id, s.threadOptions());
    const result = await thread.run('Say done.');
    await thread.close();
    expect(result.status, `cut at ${cut}`).toBe('completed');
    const input = s.model.requests.at(-1)?.body.input as Item[];
    expect(s.model.requests).toHaveLength(before + 1);
    expect(requestFaults({ input }), `cut at ${cut}`).toEqual([]);
    expect(s.workspace.read('effects'), `cut at ${cut}`).toBe(effects);
    checkAfter(readFileSync(path), log.subarray(0, cut), input);
  }
  expect(s.model.unexpected).toEqual([]);
});

/** Makes a thread with parallel calls, a patch, a failure, a replaced history and input that waited. */
async function wholeLog(s: LibraryScene): Promise<{ id: string; path: string; log: Buffer }> {
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('Do step 1.');
  await thread.compact();
  await thread.steer('This waited.');
  await thread.run('Do step 2.');
  await thread.close();
  const path = thread.path ?? '';
  return { id: thread.id, path, log: readFileSync(path) };
}

/** Answers by the last words of the user, and by whether calls were answered since. */
function answer({ body }: { body: { input?: unknown } }) {
  const input = (body.input ?? []) as Item[];
  const last = input.at(-1);
  if (last && isCallOutput(last)) return reply(think('Hm.'), say('The step is done.'));
  const words = JSON.stringify(last);
  const run = (callId: string, cmd: string) => call('exec_command', { cmd }, { callId });
  if (words.includes('step 1')) {
    return reply(say('Two.'), run('a', 'echo a >> effects'), run('b', 'echo b >> effects; exit 3'), run('r', 'ls'));
  }
  if (words.includes('step 2')) {
    const patch = '*** Begin Patch\n*** Add File: added\n+x\n*** End Patch\n';
    return reply(customCall('apply_patch', patch, { callId: 'p' }), run('c', 'echo c >> effects'));
  }
  return reply(say('done'));
}

/** Returns the end of each line, the byte before each line feed, and places in between. */
function cutsOf(log: Buffer): number[] {
  const cuts = new Set<number>();
  for (let feed = log.indexOf('\n'); feed >= 0; feed = log.indexOf('\n', feed + 1)) cuts.add(feed).add(feed + 1);
  const first = log.indexOf('\n') + 1;
  for (let cut = first + 1; cut < log.length; cut += BYTES_BETWEEN_CUTS) cuts.add(cut);
  // A thread without its first line has not begun.
  return [...cuts].filter((cut) => cut >= first).sort((a, b) => a - b);
}

/** Returns the whole groups of lines: all lines of a group but its last say how many follow. */
function wholeGroups(cut: Buffer): Buffer {
  let end = 0;
  for (let start = 0, feed = cut.indexOf('\n'); feed >= 0; start = feed + 1, feed = cut.indexOf('\n', start)) {
    if (!('oxbow_more' in (JSON.parse(cut.toString('utf8', start, feed)) as object))) end = feed + 1;
  }
  return cut.subarray(0, end);
}

/**
 * Checks that whole groups stay unchanged, that the half group is gone, and that a kept output is the one that is sent.
 */
function checkAfter(after: Buffer, cut: Buffer, input: readonly Item[]): void {
  const kept = wholeGroups(cut);
  expect(after.subarray(0, kept.length).equals(kept)).toBe(true);
  const lines = after.toString('utf8').split('\n');
  expect(lines.pop()).toBe('');
  const parsed = lines.map((line) => JSON.parse(line) as LogLine & { ordinal: number });
  expect(parsed.map(({ ordinal }) => ordinal)).toEqual(parsed.map((_, n) => n));
  const replaced = parsed.findLastIndex(({ type }) => type === 'compacted');
  for (const { type, payload } of parsed.slice(replaced + 1)) {
    if (type !== 'response_item' || !isCallOutput(payload)) continue;
    const { call_id, output } = payload;
    expect(input).toContainEqual(expect.objectContaining({ call_id, output }));
  }
  const started = parsed.flatMap((line) =>
    line.type === 'oxbow' && line.payload.kind === 'call.started' ? [line.payload.call_id] : [],
  );
  expect(new Set(started).size).toBe(started.length);
}
