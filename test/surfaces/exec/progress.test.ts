import { describe, expect, test } from 'vitest';
import { call, fault, gate, reply, say } from '../../../src/testing/index.ts';
import { runOnTerminal } from '../../harness/run-on-terminal.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const ERASED = '\r\u001b[K';
const config = { sandbox_mode: 'danger-full-access' };
const WAIT = 'echo first; echo "last  line"; while [ ! -e go ]; do sleep 0.02; done';

/** Returns a promise and the function that resolves it. */
function latch() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Returns the rows that stay on the screen of an endless terminal. */
function rowsOf(text: string): string[] {
  return text.split('\r\n').map((row) => row.slice(row.lastIndexOf(ERASED) + 1).replace('\u001b[K', ''));
}

describe.skipIf(process.platform !== 'linux')('on a terminal', () => {
  test('a line has the time while the model thinks and the last line of a running command, and is erased', async () => {
    const { open, opened } = latch();
    const s = await scene([reply(call('exec_command', { cmd: WAIT })), reply(gate(opened), say('All done.'))]);
    const run = await runOnTerminal(['exec', '--color', 'never', 'go'], { ...s, config });
    await run.printed(/\d+s {2}last line/);
    s.workspace.write('go', '');
    await run.printed(/\d+s {2}Thinking/);
    open();
    const { code, text } = await run.wait();
    expect(code).toBe(0);
    const rows = rowsOf(text);
    expect(rows.filter((row) => /\d+s {2}(Thinking|last line|Running)/.test(row))).toEqual([]);
    expect(rows).toContain('  last  line');
    expect(rows).toContain('All done.');
  });

  test('a narrow terminal gets a line that fits', async () => {
    const long = `echo ${'x'.repeat(100)}; while [ ! -e go ]; do sleep 0.02; done`;
    const s = await scene([reply(call('exec_command', { cmd: long })), reply(say('done'))]);
    const run = await runOnTerminal(['exec', '--color', 'never', 'go'], { ...s, config, columns: 40 });
    await run.printed('s  xxxx');
    s.workspace.write('go', '');
    const { text } = await run.wait();
    const [line = ''] = /\d+s {2}x+…/.exec(text) ?? [];
    expect(line).toHaveLength(39);
  });

  test('retries are one line that counts, and nothing of it stays', async () => {
    const { open, opened } = latch();
    const s = await scene([
      fault.status(500, { error: { message: 'busy' } }),
      fault.status(500, { error: { message: 'busy' } }),
      reply(gate(opened), say('done')),
    ]);
    const run = await runOnTerminal(['exec', '--color', 'never', 'go'], { ...s, config });
    await run.printed(/\d+s {2}Reconnecting 2\//);
    open();
    const { text } = await run.wait();
    expect(rowsOf(text).join('\n')).not.toContain('Reconnecting');
  });

  test.each([{ TERM: 'dumb' }, { TERM: '' }, { CI: 'true' }])('is quiet with %j', async (env) => {
    const s = await scene([reply(call('exec_command', { cmd: 'sleep 0.5' })), reply(say('done'))]);
    const run = await runOnTerminal(['exec', '--color', 'never', 'go'], { ...s, config, env });
    expect((await run.wait()).text).not.toContain('\u001b');
  });
});

test('a pipe gets no progress', async () => {
  const s = await scene([reply(call('exec_command', { cmd: 'sleep 0.5' })), reply(say('done'))]);
  const result = await runOxbow(['exec', 'go'], { ...s, config, env: { TERM: 'xterm-256color' } });
  expect(result.stderr).not.toContain('Thinking');
  expect(result.stdout + result.stderr).not.toContain('\u001b');
});
