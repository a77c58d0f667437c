import { appendFileSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { requestFaults } from '../../harness/request-faults.ts';
import { type OxbowOptions, runOxbow, startOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';

const WAITS = "echo ran >> effects; until [ -e go ]; do sleep 0.02; done; head -c 9000 /dev/zero | tr '\\0' x";
const CHANGED = 'was changed by another program while the thread was open here. Resume the thread anew';

function rolloutPath({ workspace }: Scene): string {
  const names = readdirSync(workspace.home, { recursive: true, encoding: 'utf8' });
  return join(workspace.home, names.find((name) => /rollout-.*\.jsonl$/.test(name)) ?? '');
}

/** Returns a turn as Codex writes it. */
function codexTurn(turn_id: string, text: string): string {
  const message = (role: string, type: string, content: string) => ({
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type, text: content }] },
  });
  const lines = [
    { type: 'event_msg', payload: { type: 'task_started', turn_id } },
    message('user', 'input_text', text),
    message('assistant', 'output_text', `answer to ${text}`),
    { type: 'event_msg', payload: { type: 'task_complete', turn_id, last_agent_message: `answer to ${text}` } },
  ];
  return lines.map((line) => `${JSON.stringify({ timestamp: '2026-11-05T10:00:00.000Z', ...line })}\n`).join('');
}

/** Runs a turn whose call waits while another program works on the file. */
async function runDuringCall(s: Scene, work: (path: string) => void, options: Partial<OxbowOptions> = {}) {
  const program = await startOxbow(['exec', 'go'], { ...s, ...options });
  const ended = program.wait();
  await vi.waitFor(() => expect(s.workspace.read('effects')).toBe('ran\n'), { timeout: 30_000 });
  work(rolloutPath(s));
  s.workspace.write('go', '');
  return ended;
}

test('lines that another program writes during a call stay, and are part of the thread when it is resumed', async () => {
  const s = await scene([reply(call('exec_command', { cmd: WAITS })), reply(say('done'))]);
  let whole = '';
  const run = await runDuringCall(s, (path) => {
    appendFileSync(path, codexTurn('t2', 'other'));
    whole = readFileSync(path, 'utf8');
  });
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(`${rolloutPath(s)} ${CHANGED}`);
  expect(readFileSync(rolloutPath(s), 'utf8')).toBe(whole);
  expect(s.model.requests).toHaveLength(1);
  const next = await runOxbow(['exec', 'resume', '--last', 'go on'], s);
  expect(next.code, next.stderr).toBe(0);
  expect([...s.outputs(1).values()]).toEqual([expect.stringContaining('is not known')]);
  expect(JSON.stringify(s.model.requests[1]?.body.input)).toContain('answer to other');
  for (const { body } of s.model.requests) expect(requestFaults(body)).toEqual([]);
});

test('lines of another program stay when the disk is full afterwards', async () => {
  const s = await scene([reply(call('exec_command', { cmd: WAITS }))]);
  let whole = '';
  const run = await runDuringCall(
    s,
    (path) => {
      for (let n = 0; n < 160; n++) appendFileSync(path, codexTurn(`t${n}`, 'x'.repeat(200)));
      whole = readFileSync(path, 'utf8');
    },
    // No line fits behind the lines of the other program.
    { wrap: ['sh', '-c', 'ulimit -f 64; exec "$0" "$@"'] },
  );
  expect(run.code).toBe(1);
  expect(whole.length).toBeGreaterThan(128 * 1024);
  expect(readFileSync(rolloutPath(s), 'utf8')).toBe(whole);
  expect(run.stderr).toContain(CHANGED);
});

test('a file that was moved away during a call is not written to', async () => {
  const s = await scene([reply(call('exec_command', { cmd: WAITS }))]);
  let before = '';
  const run = await runDuringCall(s, (path) => {
    before = readFileSync(path, 'utf8');
    renameSync(path, `${path}.aside`);
  });
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('is gone: the thread was archived or deleted while it was open here');
  const names = readdirSync(s.workspace.home, { recursive: true, encoding: 'utf8' });
  const [moved = ''] = names.filter((name) => name.endsWith('.aside'));
  expect(readFileSync(join(s.workspace.home, moved), 'utf8')).toBe(before);
});
