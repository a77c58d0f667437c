import { describe, expect, test } from 'vitest';
import { reply, say, textsOf } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { KEYS, startTerminal } from '../../harness/start-terminal.ts';

describe('a command line', () => {
  test.each([
    { args: ['exce'], sentence: 'exec' },
    { args: ['nope'], sentence: 'nope' },
  ])('of one unknown word is a mistake: $args', async ({ args, sentence }) => {
    const s = await scene([]);
    const terminal = startTerminal(args, { ...s, isInShell: true });
    expect(await terminal.left()).toBe('[left with 2, settings restored]');
    expect((await terminal.lines()).join('\n')).toContain(sentence);
    expect(terminal.modes()).toEqual([]);
    expect(s.model.requests).toHaveLength(0);
  });

  test.each([
    { args: ['several', 'words', 'here'], prompt: 'several words here' },
    { args: ['one quoted prompt'], prompt: 'one quoted prompt' },
    { args: ['--', 'word'], prompt: 'word' },
  ])('of words is a prompt: $args', async ({ args, prompt }) => {
    const s = await scene([reply(say('Understood.'))]);
    const terminal = startTerminal(args, { ...s });
    await terminal.shows('Understood.');
    const [request] = s.model.requests;
    expect(request && textsOf(request).at(-1)?.text).toBe(prompt);
    terminal.type(KEYS.ctrl('d'));
    expect(await terminal.wait()).toMatchObject({ code: 0 });
  });

  test('with a wrong option says so, with the code of wrong usage', async () => {
    const s = await scene([]);
    const terminal = startTerminal(['--sandbx', 'read-only'], { ...s, isInShell: true });
    expect(await terminal.left()).toBe('[left with 2, settings restored]');
    expect((await terminal.lines()).join('\n')).toMatch(/Did you mean --sandbox\? See oxbow --help\./);
  });
});

test('a config.toml that cannot be read is one sentence on a clean terminal', async () => {
  const s = await scene([]);
  s.workspace.configure('model = "scripted"\nmodel_provider = \n');
  const terminal = startTerminal([], { ...s, isInShell: true, isConfigured: true });
  expect(await terminal.left()).toBe('[left with 1, settings restored]');
  const lines = (await terminal.lines()).filter((line) => line !== '');
  expect(lines.join('\n')).toMatch(/config\.toml/);
  expect(lines.join('\n')).toMatch(/line 2|:2/);
  expect(lines.filter((line) => line.startsWith('›'))).toEqual([]);
  expect(terminal.modes()).toEqual([]);
});

test.each([{ args: ['resume', 'nope'] }, { args: ['fork', 'nope'] }, { args: ['resume', '--last'] }])(
  'a thread that does not exist is one sentence on a clean terminal: $args',
  async ({ args }) => {
    const s = await scene([]);
    const terminal = startTerminal(args, { ...s, isInShell: true });
    expect(await terminal.left()).toBe('[left with 1, settings restored]');
    const lines = (await terminal.lines()).filter((line) => line !== '');
    expect(lines.join('\n')).toMatch(/no thread/i);
    expect(lines.filter((line) => line.startsWith('›'))).toEqual([]);
    expect(terminal.modes()).toEqual([]);
  },
);

test('a pipe is told to use exec', async () => {
  const s = await scene([]);
  const { code, stderr, stdout } = await runOxbow(['several', 'words'], s);
  expect(code).not.toBe(0);
  expect(stderr).toContain('oxbow exec');
  expect(stdout).toBe('');
});
