import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reply, say } from '../../../src/testing/index.ts';
import { type Scene, scene } from '../../harness/scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';
import { KEYS, startTerminal } from '../../harness/start-terminal.ts';

/** Returns a home whose sandbox follows from trust. */
function untrusted({ workspace, model }: Scene): void {
  workspace.configure(scriptedConfig(model.url).replace(/^sandbox_mode.*\n/m, ''));
}

const savedConfig = ({ workspace }: Scene) => readFileSync(join(workspace.home, 'config.toml'), 'utf8');

test.each([
  ['Yes', [KEYS.down], 'trusted', 'The folder is trusted: commands may change files in it.'],
  ['No', [KEYS.up], 'untrusted', 'Commands may only read here'],
] as const)('trust is asked for once: %s', async (_, keys, level, said) => {
  const s = await scene(() => reply(say('done')));
  untrusted(s);
  const first = await startTerminal([], { ...s, isConfigured: true });
  await first.shows(`Do you trust ${s.workspace.path}?`);
  for (const key of keys) first.type(key);
  await first.shows(/› (Yes|No)/);
  first.type(KEYS.enter);
  await first.shows(said);
  expect(savedConfig(s)).toContain(`trust_level = "${level}"`);
  first.type('hello\r');
  await first.shows('done');
  first.type(KEYS.ctrl('d'));
  expect(await first.wait()).toMatchObject({ code: 0 });

  const second = await startTerminal(['--', 'hello again'], { ...s, isConfigured: true });
  await second.shows('done');
  expect((await second.lines()).join('\n')).not.toContain('Do you trust');
  second.type(KEYS.ctrl('d'));
  await second.wait();
});

test('a prompt of the command line waits for the answer, and text that is typed meanwhile is a draft', async () => {
  const s = await scene(() => reply(say('done')));
  untrusted(s);
  const terminal = await startTerminal(['--', 'first prompt'], { ...s, isConfigured: true });
  await terminal.shows('Do you trust');
  terminal.type('yes');
  await terminal.shows('› yes');
  terminal.type(KEYS.enter);
  await terminal.shows('Choose a row with the arrows first');
  expect(s.model.requests).toHaveLength(0);
  terminal.type(KEYS.down);
  await terminal.shows('› Yes');
  terminal.type(KEYS.enter);
  await terminal.shows('done');
  expect(JSON.stringify(s.model.requests[0]?.body)).toContain('first prompt');
  await terminal.shows('› yes');
});

test('a message that is typed together with the yes goes to the thread of the trusted folder', async () => {
  const s = await scene(() => reply(say('done')));
  untrusted(s);
  const terminal = await startTerminal([], { ...s, isConfigured: true });
  await terminal.shows('Do you trust');
  terminal.type(KEYS.down);
  await terminal.shows('› Yes');
  terminal.type('\rhello at once\r');
  await terminal.shows('done');
  await terminal.hides('working');
  expect(JSON.stringify(s.model.requests[0]?.body)).toContain('workspace-write');
  expect(s.model.requests).toHaveLength(1);
  terminal.type(KEYS.ctrl('d'));
  expect(await terminal.wait()).toMatchObject({ code: 0 });
});

const NO_KEY = { SCRIPTED_KEY: '' };

test('without a key there are choices, and a key that is typed is used', async () => {
  const s = await scene(() => reply(say('done')));
  s.workspace.configure('model = "scripted"\nsandbox_mode = "read-only"\n');
  const terminal = await startTerminal([], { ...s, isConfigured: true, env: NO_KEY });
  await terminal.shows('There is no key for');
  for (const choice of ['Sign in with ChatGPT', 'Use an API key', 'See the demo']) await terminal.shows(choice);
  terminal.type(KEYS.down);
  terminal.type(KEYS.down);
  await terminal.shows('› Use an API key');
  terminal.type(KEYS.enter);
  await terminal.shows('API key, which is not shown: ');
  terminal.type('sk-first-run\r');
  await terminal.shows('The key is kept in ');
  expect(readFileSync(join(s.workspace.home, 'auth.json'), 'utf8')).toContain('"sk-first-run"');
  await terminal.shows(/scripted .*read-only/);
  expect(terminal.bytes()).not.toContain('sk-first-run');
  terminal.type(KEYS.ctrl('d'));
  expect(await terminal.wait()).toMatchObject({ code: 0 });
});

test('Esc on the question about trust goes on to the question about a key, and a prompt waits for both', async () => {
  const s = await scene(() => reply(say('done')));
  s.workspace.configure('model = "scripted"\n');
  const terminal = await startTerminal(['first', 'prompt'], { ...s, isConfigured: true, env: NO_KEY });
  await terminal.shows('Do you trust');
  terminal.type(KEYS.escape);
  await terminal.shows('There is no key for');
  await terminal.hides('Do you trust');
  terminal.type(KEYS.escape);
  await terminal.shows(/error: .*key/);
});

test('a key that is not typed leaves the choice for later', async () => {
  const s = await scene(() => reply(say('done')));
  s.workspace.configure('model = "scripted"\nsandbox_mode = "read-only"\n');
  const terminal = await startTerminal([], { ...s, isConfigured: true, env: NO_KEY });
  await terminal.shows('Use an API key');
  terminal.type(KEYS.down);
  terminal.type(KEYS.down);
  await terminal.shows('› Use an API key');
  terminal.type(KEYS.enter);
  await terminal.shows('API key, which is not shown: ');
  terminal.type(KEYS.ctrl('c'));
  await terminal.shows('You are not signed in.');
  expect(existsSync(join(s.workspace.home, 'auth.json'))).toBe(false);
  terminal.type(KEYS.ctrl('d'));
  expect(await terminal.wait()).toMatchObject({ code: 0 });
});

test('trust comes first, then the choices, and after the demo they come again', async () => {
  const s = await scene(() => reply(say('done')));
  s.workspace.configure('model = "scripted"\n');
  const terminal = await startTerminal([], { ...s, isConfigured: true, env: NO_KEY });
  await terminal.shows('Do you trust');
  terminal.type(KEYS.down);
  await terminal.shows('› Yes');
  terminal.type(KEYS.enter);
  await terminal.shows('The folder is trusted');
  await terminal.shows('There is no key for');
  terminal.type(KEYS.up);
  await terminal.shows('› See the demo');
  terminal.type(KEYS.enter);
  await terminal.shows('Now with a real model');
  await terminal.shows('  See the demo');
  await terminal.shows(/scripted .*workspace-write/);
  terminal.type(KEYS.ctrl('d'));
  expect(await terminal.wait()).toMatchObject({ code: 0 });
});
