import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, customCall, gate, reply, type Script, say } from '../../../src/testing/index.ts';
import { type ControllingTerminalOptions, onControllingTerminal } from '../../harness/on-controlling-terminal.ts';
import { PROGRAM, runOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';

const config = { sandbox_mode: 'read-only' };
const escalated = (cmd: string, more: object = {}) => ({
  cmd,
  sandbox_permissions: 'require_escalated',
  justification: 'for the test',
  ...more,
});
const wants = (cmd: string, callId = 'c', more: object = {}) => call('exec_command', escalated(cmd, more), { callId });
const DONE = reply(say('done'));
/** End of the line before the answer. */
const ASKED = 'ne?] ';

type Options = Partial<Omit<ControllingTerminalOptions, 'workspace' | 'model'>> & { readonly script?: string };

async function asking(replies: Script, { script = `exec ${PROGRAM} exec --ask go`, ...options }: Options = {}) {
  const s = await scene(replies);
  const terminal = await onControllingTerminal(script, { ...s, config, ...options });
  return { s, terminal };
}

const has = ({ workspace }: Scene, name: string) => existsSync(workspace.file(name));

/** Returns a promise and the function that resolves it. */
function latch() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe.skipIf(process.platform !== 'linux')('exec --ask', { timeout: 30_000 }, () => {
  test('a yes lets a command run, and a line says what was decided', async () => {
    const { s, terminal } = await asking([reply(wants('touch made')), DONE]);
    const question = await terminal.printed(ASKED);
    expect(question).toContain(
      ['Run this with /bin/bash -c, outside the sandbox?', '  touch made', `Folder: ${s.workspace.path}`].join('\r\n'),
    );
    expect(question).toContain('for the test');
    expect(question).toContain('y  It runs outside the sandbox, this one time.');
    expect(has(s, 'made')).toBe(false);
    terminal.type('y\r');
    const { code, text } = await terminal.wait();
    expect(text).toContain('Allowed. It runs outside the sandbox, this one time.');
    expect(text).toContain('approval: on-request');
    expect(code).toBe(0);
    expect(has(s, 'made')).toBe(true);
  });

  test('a no has words for the model, and the turn goes on', async () => {
    const { s, terminal } = await asking([reply(wants('touch made')), DONE]);
    await terminal.printed(ASKED);
    terminal.type('n use the other folder\r');
    const { code, text } = await terminal.wait();
    expect(code).toBe(0);
    expect(text).toContain('Not allowed. For the model: use the other folder');
    expect(s.outputs(1).get('c')).toBe('rejected by user: use the other folder');
    expect(has(s, 'made')).toBe(false);
  });

  test('a line that is no answer decides nothing, and the question comes again', async () => {
    const { s, terminal } = await asking([reply(wants('touch made')), DONE]);
    await terminal.printed(ASKED);
    for (const [n, line] of ['', 'yy', 'y please', 'ok', 'a', '1'].entries()) {
      terminal.type(`${line}\r`);
      const text = await terminal.printed(ASKED, n + 2);
      expect(text.split('Enter alone decides nothing'), line).toHaveLength(n + 2);
      expect(has(s, 'made'), line).toBe(false);
    }
    terminal.type('n\r');
    await terminal.wait();
    expect(s.outputs(1).get('c')).toBe('rejected by user');
  });

  test('keys that were typed before the question do not answer it', async () => {
    const { open, opened } = latch();
    const { s, terminal } = await asking([reply(gate(opened), wants('touch made')), DONE]);
    await terminal.printed('session id:');
    terminal.type('y\ry\r');
    // A line that is not finished would otherwise become the beginning of the answer.
    terminal.type('y');
    open();
    await terminal.printed(ASKED);
    terminal.type('\r');
    await terminal.printed(ASKED, 2);
    expect(has(s, 'made')).toBe(false);
    terminal.type('n\r');
    await terminal.wait();
    expect(s.outputs(1).get('c')).toBe('rejected by user');
  });

  test('several lines at once do not answer it', async () => {
    const { s, terminal } = await asking([reply(wants('touch made')), DONE]);
    await terminal.printed(ASKED);
    terminal.type('y\ry\ry\r');
    await terminal.printed('Several lines came at once. Nothing was decided.');
    await terminal.printed(ASKED, 2);
    expect(has(s, 'made')).toBe(false);
    terminal.type('y\r');
    await terminal.wait();
    expect(has(s, 'made')).toBe(true);
  });

  test('input, output and errors may be pipes, with events on standard output', async () => {
    const script = `echo more | ${PROGRAM} exec --ask --json go 2>errors | cat >events; exit \${PIPESTATUS[1]}`;
    const { s, terminal } = await asking([reply(wants('touch made')), DONE], { script });
    await terminal.printed(ASKED);
    terminal.type('y\r');
    const { code, text } = await terminal.wait();
    expect(code).toBe(0);
    expect(text).not.toContain('"type"');
    expect(has(s, 'made')).toBe(true);
    const events = readFileSync(s.workspace.file('events'), 'utf8').trimEnd().split('\n');
    expect(events.map((line) => JSON.parse(line).type)).toEqual(
      expect.arrayContaining(['thread.started', 'item.started', 'turn.completed']),
    );
    expect(readFileSync(s.workspace.file('errors'), 'utf8')).not.toContain('Run this');
  });

  test('a wider yes covers what its line says, and no more', async () => {
    const ls = { prefix_rule: ['ls'] };
    const { s, terminal } = await asking([
      reply(wants('ls', 'first', ls)),
      reply(wants('ls -l', 'second', ls)),
      reply(wants('touch made', 'third')),
      DONE,
    ]);
    const question = await terminal.printed(ASKED);
    const shown = question.replaceAll('\r\n', ' ').replace(/ +/g, ' ');
    expect(shown).toContain('p Every command that begins with `ls` runs outside the sandbox without asking');
    expect(shown).toContain(`w Every command that begins with`);
    terminal.type('p\r');
    const next = await terminal.printed(ASKED, 2);
    expect(next.split('Run this with')).toHaveLength(3);
    terminal.type('n\r');
    await terminal.wait();
    expect(s.outputs(2).get('second')).toContain('Process exited with code 0');
    expect(existsSync(join(s.workspace.home, 'rules'))).toBe(false);
    expect(has(s, 'made')).toBe(false);
  });

  test('a yes for everywhere is a line in the rules of the home', async () => {
    const { s, terminal } = await asking([reply(wants('ls', 'c', { prefix_rule: ['ls'] })), DONE]);
    await terminal.printed(ASKED);
    terminal.type('w\r');
    await terminal.wait();
    expect(readFileSync(join(s.workspace.home, 'rules/default.rules'), 'utf8')).toContain('"ls"');
  });

  test('a command that does not fit on the screen is approved only after all of it was shown', async () => {
    const cmd = `touch made\n${Array.from({ length: 60 }, (_, n) => `: row ${n}`).join('\n')}\n: the end`;
    const { s, terminal } = await asking([reply(wants(cmd)), DONE]);
    const question = await terminal.printed('[nea?] ');
    expect(question).toContain('more rows: a shows all, then you can say yes)');
    expect(question).not.toContain(': the end');
    terminal.type('y\r');
    await terminal.printed('[nea?] ', 2);
    expect(has(s, 'made')).toBe(false);
    terminal.type('a\r');
    expect(await terminal.printed(ASKED)).toContain('  : the end\r\n');
    terminal.type('y\r');
    await terminal.wait();
    expect(has(s, 'made')).toBe(true);
  });

  test('hidden characters are written out', async () => {
    const { terminal } = await asking([reply(wants('echo \u202e \u001b[2K \u200b')), DONE]);
    const question = await terminal.printed(ASKED);
    expect(question).toContain('  echo \\u{202E} \\u{1B}[2K \\u{200B}\r\n');
    terminal.type('n\r');
    const { text } = await terminal.wait();
    for (const hidden of ['\u202e', '\u001b[2K', '\u200b']) expect(text).not.toContain(hidden);
  });

  test('a patch is shown as a diff', async () => {
    const patch = '*** Begin Patch\n*** Add File: a.txt\n+first\n+second\n*** End Patch\n';
    const { s, terminal } = await asking([reply(customCall('apply_patch', patch, { callId: 'c' })), DONE]);
    const question = await terminal.printed('[ysn?] ');
    expect(question).toContain('Apply this patch?\r\n');
    expect(question).toContain('  +first\r\n  +second\r\n');
    terminal.type('y\r');
    await terminal.wait();
    expect(s.workspace.read('a.txt')).toBe('first\nsecond\n');
  });

  test('several questions are asked one after another', async () => {
    const { s, terminal } = await asking([
      reply(wants('touch a', 'a'), wants('touch b', 'b'), wants('touch c', 'c')),
      DONE,
    ]);
    expect(await terminal.printed(ASKED)).toMatch(/\d more waits?\./);
    terminal.type('y\r');
    await terminal.printed(ASKED, 2);
    terminal.type('n\r');
    await terminal.printed(ASKED, 3);
    terminal.type('y\r');
    await terminal.wait();
    expect(['a', 'b', 'c'].map((name) => has(s, name))).toEqual([true, false, true]);
  });
});

describe.skipIf(process.platform !== 'linux')('an edit', { timeout: 30_000 }, () => {
  const EDITOR = '#!/bin/sh\nstat -c %a "$2" >mode\ncp "$2" seen\necho "$2" >path\necho "touch edited" >"$2"\n';

  test('replaces the command, which is asked about again', async () => {
    const s = await scene([reply(wants('touch made')), DONE]);
    s.workspace.write('editor', EDITOR);
    chmodSync(s.workspace.file('editor'), 0o755);
    const env = { VISUAL: './editor --wait', EDITOR: 'false' };
    const terminal = await onControllingTerminal(`exec ${PROGRAM} exec --ask go`, { ...s, config, env });
    await terminal.printed(ASKED);
    terminal.type('e\r');
    expect(await terminal.printed(ASKED, 2)).toContain('  touch edited\r\n');
    terminal.type('y\r');
    expect((await terminal.wait()).code).toBe(0);
    expect([has(s, 'made'), has(s, 'edited')]).toEqual([false, true]);
    expect(s.workspace.read('mode')).toBe('600\n');
    expect(s.workspace.read('seen')).toBe('touch made\n');
    expect(existsSync(s.workspace.read('path').trim())).toBe(false);
    expect(s.outputs(1).get('c')).toContain('touch edited');
  });

  test.each([
    ['false', 'The editor false ended with exit code 1. The question is still open.'],
    ['truncate -s 0', 'The editor left an empty text. The question is still open.'],
    ['true', 'The text was not changed. The question is still open.'],
    ['./missing', 'The editor ./missing ended with exit code 127. The question is still open.'],
  ])('with %j is no edit', async (editor, sentence) => {
    const { s, terminal } = await asking([reply(wants('touch made')), DONE], { env: { EDITOR: editor } });
    await terminal.printed(ASKED);
    terminal.type('e\r');
    expect(await terminal.printed(ASKED, 2)).toContain(sentence);
    terminal.type('y\r');
    await terminal.wait();
    expect(has(s, 'made')).toBe(true);
  });

  test('may use Ctrl-C as a key, and a signal ends it with its file and its settings', async () => {
    const s = await scene([reply(wants('touch made'))]);
    const script =
      '#!/bin/bash\ntrap "echo key" INT\nstty raw -echo isig\necho "$1" >path\necho ready\nwhile :; do sleep 0.05; done\n';
    s.workspace.write('editor', script);
    chmodSync(s.workspace.file('editor'), 0o755);
    const options = { ...s, config, env: { EDITOR: './editor' } };
    const terminal = await onControllingTerminal(`exec ${PROGRAM} exec --ask go`, options);
    await terminal.printed(ASKED);
    const before = terminal.settings();
    terminal.type('e\r');
    await terminal.printed('ready');
    expect(terminal.settings()).not.toBe(before);
    terminal.type('\u0003');
    await terminal.printed('key');
    terminal.kill('SIGTERM');
    expect((await terminal.wait()).code).toBe(143);
    expect(terminal.settings()).toBe(before);
    expect(existsSync(s.workspace.read('path').trim())).toBe(false);
    expect(has(s, 'made')).toBe(false);
  });
});

describe.skipIf(process.platform !== 'linux')('an end while a question is open', { timeout: 30_000 }, () => {
  test('Ctrl-C declines and interrupts the turn', async () => {
    const { s, terminal } = await asking([reply(wants('touch made', 'a'), wants('touch too', 'b'))]);
    await terminal.printed(ASKED);
    terminal.type('\u0003');
    const { code, text } = await terminal.wait();
    expect(code).toBe(1);
    expect(text).toContain('interrupted');
    expect([has(s, 'made'), has(s, 'too')]).toEqual([false, false]);
    expect(s.model.requests).toHaveLength(1);
  });

  test('the end of the input declines, and the next question is asked', async () => {
    const { s, terminal } = await asking([reply(wants('touch made', 'a')), reply(wants('touch two', 'b')), DONE]);
    await terminal.printed(ASKED);
    terminal.type('\u0004');
    await terminal.printed(ASKED, 2);
    terminal.type('y\r');
    expect((await terminal.wait()).code).toBe(0);
    expect([has(s, 'made'), has(s, 'two')]).toEqual([false, true]);
  });

  test.each([
    ['SIGTERM', { code: 143, signal: null }],
    ['SIGHUP', { code: 129, signal: null }],
    ['SIGKILL', { code: null, signal: 'SIGKILL' }],
  ] as const)('%s runs nothing and leaves the settings of the terminal', async (signal, ending) => {
    const { s, terminal } = await asking([reply(wants('touch made'))]);
    await terminal.printed('session id:');
    const before = terminal.settings();
    await terminal.printed(ASKED);
    terminal.kill(signal);
    expect(await terminal.wait()).toMatchObject(ending);
    expect(terminal.settings()).toBe(before);
    expect(has(s, 'made')).toBe(false);
  });

  test.each([
    ['with files as its standard streams', '</dev/null >out 2>errors'],
    ['that is its standard streams', ''],
    ['that gets lines of JSON', '--json'],
  ])('a terminal that goes away declines, %s', async (_, more) => {
    const script = `exec ${PROGRAM} exec --ask go ${more}`;
    const { s, terminal } = await asking([reply(wants('touch made'))], { script });
    await terminal.printed(ASKED);
    terminal.hangUp();
    expect(await terminal.wait()).toMatchObject({ code: 129, signal: null });
    expect(has(s, 'made')).toBe(false);
  });

  test('a limit of time ends the question', async () => {
    const script = `exec ${PROGRAM} exec --ask --timeout 2s go`;
    const { s, terminal } = await asking([reply(wants('touch made'))], { script });
    await terminal.printed(ASKED);
    const { code, text } = await terminal.wait();
    expect(code).toBe(1);
    expect(text).toContain('Not allowed: the turn was interrupted.');
    expect(has(s, 'made')).toBe(false);
  });
});

describe.skipIf(process.platform !== 'linux')('the policy with --ask', { timeout: 30_000 }, () => {
  test('is on-request where the configuration says never', async () => {
    const { terminal } = await asking([reply(wants('touch made')), DONE], {
      config: { ...config, approval_policy: 'never' },
    });
    expect(await terminal.printed(ASKED)).toContain('approval: on-request');
    terminal.type('n\r');
    await terminal.wait();
  });

  test('is that of the configuration where it asks', async () => {
    const cmd = call('exec_command', { cmd: 'touch made' }, { callId: 'c' });
    const { terminal } = await asking([reply(cmd), DONE], { config: { ...config, approval_policy: 'untrusted' } });
    expect(await terminal.printed(ASKED)).toContain('Run this with /bin/bash -c, in the sandbox?');
    terminal.type('n\r');
    expect((await terminal.wait()).text).toContain('approval: untrusted');
  });
});

test.skipIf(process.platform !== 'linux')(
  'progress is erased while a question is open, and its clock goes on',
  async () => {
    const { open, opened } = latch();
    const { terminal } = await asking([reply(wants('touch made')), reply(gate(opened), say('done'))]);
    await terminal.printed(ASKED);
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect((await terminal.printed(ASKED)).endsWith(ASKED)).toBe(true);
    terminal.type('n\r');
    const before = (await terminal.printed('Not allowed.')).split('s  Thinking').length - 1;
    const [, after = ''] = (await terminal.printed('s  Thinking', before + 1)).split('Not allowed.');
    expect(Number(/(\d+)s {2}Thinking/.exec(after)?.[1])).toBeGreaterThanOrEqual(1);
    open();
    await terminal.wait();
  },
  30_000,
);

test('without a terminal it ends before anything runs', async () => {
  const s = await scene([]);
  const { code, stderr } = await runOxbow(['exec', '--ask', 'go'], { ...s, config });
  expect(stderr).toBe(
    'oxbow: --ask needs a terminal to ask on, and this process has none. Start it from a terminal.\n',
  );
  expect(code).toBe(2);
  expect(s.model.requests).toHaveLength(0);
});

test.each(['--yolo', '--dangerously-bypass-approvals-and-sandbox'])('%s conflicts with it', async (flag) => {
  const s = await scene([]);
  const { code, stderr } = await runOxbow(['exec', '--ask', flag, 'go'], { ...s, config });
  expect(stderr).toContain('--ask cannot be used with --dangerously-bypass-approvals-and-sandbox');
  expect(code).toBe(2);
});
