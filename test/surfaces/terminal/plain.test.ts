import { expect, test } from 'vitest';
import { call, gate, reply, say } from '../../../src/testing/index.ts';
import { scene } from '../../harness/scene.ts';
import { KEYS, startTerminal, type TestTerminal } from '../../harness/start-terminal.ts';

/** Every byte that is not a printed character or the end of a line. The terminal echoes Ctrl-C as two characters. */
const CONTROLS = /[^\P{Cc}\r\n]/u;

const TOUCH = call(
  'exec_command',
  { cmd: 'touch made', sandbox_permissions: 'require_escalated', justification: 'I must.' },
  { callId: '1' },
);

const ASKING = { approval_policy: 'on-request', sandbox_mode: 'workspace-write' };

async function leave(terminal: TestTerminal): Promise<void> {
  terminal.type(KEYS.ctrl('d'));
  expect(await terminal.wait()).toMatchObject({ code: 0 });
  expect(terminal.bytes()).not.toMatch(CONTROLS);
}

test.each([
  ['--plain', ['--plain'], {}, {}],
  ['ACCESSIBLE', [], { ACCESSIBLE: '1' }, {}],
  ['TERM=dumb', [], { TERM: 'dumb' }, {}],
  ['tui.plain', [], {}, { tui: { plain: true } }],
  ['-c tui.plain', ['-c', 'tui.plain=true'], {}, {}],
])('%s: only whole lines are appended', async (_, args, env, config) => {
  const s = await scene(() => reply(say('# Title\n\nSome **bold** text and `code`.\n\n- one\n- two\n')));
  const terminal = await startTerminal(args, { ...s, env, config });
  await terminal.shows('> ');
  terminal.type('hello\r');
  await terminal.shows('two');
  const lines = await terminal.lines();
  expect(lines).toEqual(expect.arrayContaining(['> hello', expect.stringMatching(/^Working\. Ctrl-C interrupts\./)]));
  expect(lines.filter((line) => line.includes('hello'))).toHaveLength(1);
  await terminal.shows(/two\n+> /);
  await leave(terminal);
  expect(s.model.requests).toHaveLength(1);
});

test('a question is answered by a line, with words for a no', async () => {
  const s = await scene([reply(TOUCH), reply(say('done'))]);
  const terminal = await startTerminal(['--plain'], { ...s, config: ASKING });
  await terminal.shows('> ');
  terminal.type('go\r');
  await terminal.shows('n: No. Words after it are for the model.');
  const lines = await terminal.lines();
  expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^y: /), expect.stringContaining('touch made')]));
  await new Promise((resolve) => setTimeout(resolve, 1100));
  terminal.type('n use make instead\r');
  await terminal.shows('done');
  expect(JSON.stringify(s.outputs(1).get('1'))).toContain('use make instead');
  await leave(terminal);
});

test('a line that comes with the question does not answer it', async () => {
  const s = await scene([reply(TOUCH), reply(say('done'))]);
  const terminal = await startTerminal(['--plain'], { ...s, config: ASKING });
  await terminal.shows('> ');
  terminal.type('go\r');
  await terminal.shows('n: No.');
  terminal.type('y\r');
  await new Promise((resolve) => setTimeout(resolve, 1100));
  expect(s.model.requests).toHaveLength(1);
  terminal.type('y\r');
  await terminal.shows('done');
  await leave(terminal);
});

test('Ctrl-C interrupts a turn, and twice it leaves', async () => {
  const never = new Promise<void>(() => undefined);
  const s = await scene(() => reply(say('begun\n\n'), gate(never), say('never')));
  const terminal = await startTerminal(['--plain', 'go on then'], s);
  await terminal.shows('Working.');
  terminal.type(KEYS.ctrl('c'));
  await terminal.shows('Interrupted.');
  terminal.type(KEYS.ctrl('c'));
  await terminal.shows('Ctrl-C again leaves.');
  terminal.type(KEYS.ctrl('c'));
  expect(await terminal.wait()).toMatchObject({ code: 0 });
  expect((await terminal.lines()).join('\n')).toContain('To go on: oxbow resume');
});

test('lists are numbered and answered by a number; a page is printed', async () => {
  const s = await scene(() => reply(say('done')));
  const terminal = await startTerminal(['--plain'], s);
  await terminal.shows('> ');
  terminal.type('/approvals\r');
  await terminal.shows('Type a number, or an empty line for none.');
  await terminal.shows(/^1\. /m);
  terminal.type('1\r');
  await terminal.shows(/read/i);
  terminal.type('/theme\r');
  await terminal.shows('1. terminal');
  terminal.type('\r');
  terminal.type('/nothing\r');
  await terminal.shows('There is no command /nothing.');
  terminal.type('a prompt after all\r');
  await terminal.shows('done');
  await leave(terminal);
});

test('a line that ends with a backslash goes on with the next one', async () => {
  const s = await scene(() => reply(say('done')));
  const terminal = await startTerminal(['--plain'], s);
  await terminal.shows('> ');
  terminal.type('one\\\r');
  terminal.type('two\r');
  await terminal.shows('done');
  expect(JSON.stringify(s.model.requests[0]?.body)).toContain('one\\ntwo');
  await leave(terminal);
});
