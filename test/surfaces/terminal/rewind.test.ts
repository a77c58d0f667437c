import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { call, type RecordedRequest, reply, type Script, say, textsOf } from '../../../src/testing/index.ts';
import { expectScreen } from '../../harness/expect-screen.ts';
import { scene } from '../../harness/scene.ts';
import { KEYS, startTerminal } from '../../harness/start-terminal.ts';

const typed = (request: RecordedRequest | undefined) =>
  request ? textsOf(request).flatMap(({ role, text }) => (role === 'user' ? [text] : [])) : [];

const script: Script = [
  reply(say('Hello.')),
  reply(call('exec_command', { cmd: 'echo changed > kept.txt; echo new > made.txt; rm gone.txt' })),
  reply(say('Changed.')),
  reply(say('Then.')),
];

test.each([
  { what: 'talk', row: 1, talk: true, files: false },
  { what: 'files', row: 2, talk: false, files: true },
  { what: 'both', row: 3, talk: true, files: true },
])('rewind takes back $what, after a shell command too', async ({ what, row, talk, files }) => {
  const s = await scene(script, { 'kept.txt': 'before\n', 'gone.txt': 'here\n' });
  const terminal = startTerminal(['say', 'hello'], { ...s, rows: 30 });
  await terminal.shows('Hello.');
  await terminal.hides('working');
  terminal.type('change the files\r');
  await terminal.shows('Changed.');
  await terminal.hides('working');
  expect(s.workspace.read('kept.txt')).toBe('changed\n');
  terminal.type(KEYS.escape);
  await terminal.shows('Esc again goes back');
  terminal.type(KEYS.escape);
  await terminal.shows('Go back to before which input?');
  await terminal.shows(/change the files.*3 files differ since/);
  terminal.type(KEYS.enter);
  await terminal.shows('these files would change');
  await terminal.shows('Talk and files');
  if (what === 'both') await expectScreen(import.meta.url, 'rewind', s.workspace, terminal.screen);
  for (let n = 0; n < row; n += 1) terminal.type(KEYS.down);
  terminal.type(KEYS.enter);
  await terminal.shows(talk ? '1 input is taken back.' : '3 files restored.');
  expect(s.workspace.read('kept.txt')).toBe(files ? 'before\n' : 'changed\n');
  expect(existsSync(s.workspace.file('made.txt'))).toBe(!files);
  expect(existsSync(s.workspace.file('gone.txt'))).toBe(files);
  terminal.type('what now\r');
  await terminal.shows('Then.');
  expect(typed(s.model.requests[3]).includes('change the files')).toBe(!talk);
  terminal.type(KEYS.ctrl('d'));
  expect(await terminal.wait()).toMatchObject({ code: 0 });
});
