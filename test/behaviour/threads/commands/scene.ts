import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Item } from '../../../../src/base/item.ts';
import type { TempWorkspace } from '../../../../src/testing/index.ts';
import { type OxbowOptions, runOxbow } from '../../../harness/run-oxbow.ts';
import type { Scene } from '../../../harness/scene.ts';
import { type ProgramResult, startProgram } from '../../../harness/start-program.ts';

export const PROGRAM = fileURLToPath(new URL('../../../../bin/oxbow', import.meta.url));

/** Returns the environment that the program needs, and no more. */
export function environmentOf({ home }: TempWorkspace): Record<string, string> {
  const PATH = [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter);
  return { PATH, HOME: home, OXBOW_HOME: home };
}

/** Runs `oxbow threads`. Unlike the harness it does not read --json as events. */
export async function threads(
  args: readonly string[],
  { workspace }: Pick<Scene, 'workspace'>,
): Promise<ProgramResult> {
  const env = environmentOf(workspace);
  const program = await startProgram({ command: PROGRAM, args: ['threads', ...args], cwd: workspace.path, env });
  return program.wait();
}

/** Runs one turn and returns the id of its thread. */
export async function turn(args: readonly string[], s: Scene & Pick<OxbowOptions, 'config'>): Promise<string> {
  const result = await runOxbow(['exec', '--json', ...args], s);
  if (result.code !== 0) throw new Error(`exec ended with ${result.code}: ${result.stderr}${result.stdout}`);
  return String(result.events[0]?.thread_id);
}

/** Returns the texts of the n-th request's messages, and the types of its other items. */
export function sent({ model }: Scene, n: number): string[] {
  return (model.requests[n]?.body.input ?? []).map((item: Item) =>
    item.type === 'message' ? item.content.map((part) => ('text' in part ? part.text : part.type)).join('') : item.type,
  );
}

export function rolloutPaths({ home }: TempWorkspace): string[] {
  const names = readdirSync(join(home, 'sessions'), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => join(home, 'sessions', name));
}

export function readRollout(path: string): { type: string; payload: Record<string, unknown> }[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** Writes the rollout of a thread as another program would have. Lines that are texts are written unchanged. */
export function writeThread(
  { home }: TempWorkspace,
  id: string,
  lines: readonly (object | string)[],
  time = '2026-01-02T03-04-05',
): string {
  const path = join(home, 'sessions', ...time.slice(0, 10).split('-'), `rollout-${time}-${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  return path;
}

const TIMESTAMP = '2026-01-02T03:04:05.678Z';

/** Returns the lines of a thread of Codex 0.166: a turn for each pair of input and answer. */
export function codexLines(
  id: string,
  turns: readonly (readonly [input: string, answer: string])[],
  { cwd = '/somewhere', meta = {}, first = 0 }: { cwd?: string; meta?: object; first?: number } = {},
): object[] {
  let ordinal = first;
  const line = (type: string, payload: object, more: object = {}) => ({
    timestamp: TIMESTAMP,
    ordinal: ordinal++,
    type,
    payload,
    ...more,
  });
  const message = (role: string, kind: string, text: string, turn_id: string) =>
    line(
      'response_item',
      {
        type: 'message',
        id: `msg_${id}_${ordinal}`,
        role,
        content: [{ type: kind, text }],
        internal_chat_message_metadata_passthrough: { turn_id, content_item_kinds: ['user.text'] },
      },
      { metadata: { client_authored: false } },
    );
  const start = line('session_meta', {
    session_id: id,
    id,
    timestamp: TIMESTAMP,
    cwd,
    originator: 'codex_exec',
    cli_version: '0.166.0',
    source: 'exec',
    model_provider: 'other',
    base_instructions: { text: 'You are of another make.' },
    history_mode: 'paginated',
    ...meta,
  });
  return [
    start,
    ...turns.flatMap(([input, answer], n) => {
      const turn_id = `${id}-turn-${n + 1}`;
      const item = { type: 'UserMessage', id: `item-${n}`, content: [{ type: 'text', text: input }] };
      return [
        line('event_msg', { type: 'task_started', turn_attribution: { turn_id }, turn_id, started_at: 1 }),
        line('turn_context', { turn_id, cwd, approval_policy: 'never', sandbox_policy: {}, model: 'theirs' }),
        line('world_state', { full: false, state: {} }),
        message('user', 'input_text', input, turn_id),
        line('event_msg', { type: 'item_completed', thread_id: id, turn_id, item }),
        message('assistant', 'output_text', answer, turn_id),
        line('token_usage_record', { thread_id: id, turn_id }),
        line('event_msg', { type: 'task_complete', turn_id, last_agent_message: answer }),
      ];
    }),
  ];
}
