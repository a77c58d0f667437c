import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, fault, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';

const promptOf = ({ model }: Scene) => {
  const item = model.requests[0]?.body.input?.at(-1);
  return item?.type === 'message' && item.content[0]?.type === 'input_text' ? item.content[0].text : undefined;
};

describe('the prompt', () => {
  test('is the argument', async () => {
    const s = await scene([reply(say('done'))]);
    await runOxbow(['exec', 'do it'], s);
    expect(promptOf(s)).toBe('do it');
  });

  test.each([[['exec', '-']], [['exec']]])('comes from standard input: %j', async (args) => {
    const s = await scene([reply(say('done'))]);
    const result = await runOxbow(args, { ...s, stdin: '\ufeffdo it\nnow\n' });
    expect(result.stderr).toContain('Reading prompt from stdin...');
    expect(promptOf(s)).toBe('do it\nnow\n');
  });

  test('is the argument, followed by the piped text', async () => {
    const s = await scene([reply(say('done'))]);
    await runOxbow(['exec', 'summarise'], { ...s, stdin: 'line 1\nline 2\n' });
    expect(promptOf(s)).toBe('summarise\n\n<stdin>\nline 1\nline 2\n</stdin>');
  });

  test('is missing', async () => {
    const s = await scene([]);
    const result = await runOxbow(['exec'], { ...s, stdin: ' \n' });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('No prompt was given.');
  });
});

describe('human output', () => {
  test('has only the final answer on stdout, and commands with code, time and tokens on stderr', async () => {
    const s = await scene([
      reply(say('I will look.'), call('exec_command', { cmd: 'echo one; seq 30; exit 4' })),
      reply(say('The answer\nis 42.')),
    ]);
    const result = await runOxbow(['exec', 'go'], s);
    expect(result.code).toBe(0);
    expect(result.stdout).toBe('The answer\nis 42.\n');
    expect(result.stderr).toMatch(/^oxbow \d/);
    expect(result.stderr).toContain('I will look.');
    expect(result.stderr).toMatch(
      /\$ echo one; seq 30; exit 4\n {2}one\n {2}1\n[\s\S]*… 19 more lines\n[\s\S]* {2}30\n {2}exit 4 in \d+\.\ds/,
    );
    expect(result.stderr).toContain('tokens used: 240');
    expect(result.stderr).not.toContain('\u001b');
  });

  test('escape sequences of models and commands do not reach the terminal', async () => {
    const s = await scene([
      reply(call('exec_command', { cmd: "printf '\\033]0;title\\007\\033[2Jclean'" })),
      reply(say('fine')),
    ]);
    const result = await runOxbow(['exec', '--color', 'always', 'go'], s);
    expect(result.stderr).toContain('clean');
    expect(result.stderr).toContain('\u001b[36m$');
    expect(result.stderr).not.toContain('title\u0007');
    expect(result.stderr).not.toContain('\u001b[2J');
  });

  test('-o writes the final answer to a file', async () => {
    const s = await scene([reply(say('the answer'))]);
    await runOxbow(['exec', '-o', 'answer.txt', 'go'], s);
    expect(s.workspace.read('answer.txt')).toBe('the answer');
  });

  test('-o leaves no file behind when the turn fails', async () => {
    const s = await scene([fault.status(400, { error: { message: 'no such model' } })]);
    const result = await runOxbow(['exec', '-o', 'answer.txt', 'go'], s);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('ERROR: no such model');
    expect(() => s.workspace.read('answer.txt')).toThrow();
  });
});

describe('folders and records', () => {
  test('outside a repository it asks for a flag', async () => {
    const s = await scene([reply(say('done'))]);
    const outside = join(s.workspace.home, 'outside');
    mkdirSync(outside);
    const refused = await runOxbow(['exec', 'go'], { ...s, cwd: outside });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Not inside a trusted directory and --skip-git-repo-check was not specified.');
    const allowed = await runOxbow(['exec', '--skip-git-repo-check', '-C', outside, 'go'], s);
    expect(allowed.code).toBe(0);
    expect(JSON.stringify(s.model.requests[0]?.body.input)).toContain(`<cwd>${outside}</cwd>`);
  });

  test('--ephemeral keeps no rollout', async () => {
    const s = await scene([reply(say('done'))]);
    expect((await runOxbow(['exec', '--ephemeral', 'go'], s)).code).toBe(0);
    expect(() => s.rollout()).toThrow('ENOENT');
  });
});

describe('mistakes', () => {
  const rows: [string, string[], number, string][] = [
    ['an unknown command', ['explode'], 2, 'There is no command "explode". See oxbow --help.'],
    [
      'a command with a slip',
      ['exce', 'x'],
      2,
      'There is no command "exce". Did you mean oxbow exec? See oxbow --help.',
    ],
    [
      'a prompt without a command',
      ['fix the tests'],
      2,
      'There is no command "fix the tests". To run it as a prompt: oxbow exec "fix the tests"\n',
    ],
    ['a prompt without quotes', ['fix', 'the', 'tests'], 2, 'To run it as a prompt: oxbow exec "fix the tests"\n'],
    ['a command of Codex', ['archive', 'x'], 2, 'There is no command "archive". Use oxbow threads archive.\n'],
    ['a command of Codex before options', ['-m', 'x', 'review'], 2, 'Use oxbow exec review.\n'],
    ['a prompt like a command', ['review', 'the', 'last', 'commit'], 2, 'oxbow exec "review the last commit"\n'],
    ['an option before a verb', ['-m', 'x', 'threads', 'show', 'y'], 2, "'-m'. See oxbow threads show --help."],
    ['a wrong value', ['exec', '-c', 'approval_policy=17', 'x'], 1, 'approval_policy must be'],
    ['a verb with a slip', ['threads', 'shwo'], 2, 'oxbow threads has no verb "shwo". Did you mean show?'],
    ['a subcommand with a slip', ['exec', 'resmue', 'x'], 2, 'Did you mean oxbow exec resume?'],
    [
      'an option with a slip',
      ['exec', '--sandbx', 'x'],
      2,
      "Unknown option '--sandbx'. Did you mean --sandbox? See oxbow exec --help.",
    ],
    ['a value with a slip', ['exec', '--color', 'allways', 'x'], 2, 'not "allways". Did you mean always?'],
    ['an unknown option', ['exec', '--explode', 'x'], 2, "Unknown option '--explode'. See oxbow exec --help."],
    ['two prompts', ['exec', 'fix', 'this'], 2, 'Expected one prompt, got 2: put it in quotes.'],
    [
      'a wrong number',
      ['exec', '--max-requests', 'many', 'x'],
      2,
      '--max-requests takes a whole number above zero, not "many".',
    ],
    [
      'a wrong duration',
      ['exec', '--timeout', '5 weeks', 'x'],
      2,
      '--timeout takes a duration such as 90s, 10m or 1h, not "5 weeks".',
    ],
    ['a wrong colour', ['exec', '--color', 'blue', 'x'], 2, '--color takes auto, always or never, not "blue".'],
    [
      'a wrong mode',
      ['exec', '-s', 'off', 'x'],
      2,
      '--sandbox takes read-only, workspace-write or danger-full-access, not "off".\n',
    ],
    ['a folder that is not there', ['exec', '-C', '/no/such/folder', 'x'], 1, '/no/such/folder is not a folder.'],
    ['an empty model', ['exec', '-m', '', 'x'], 1, 'model must be a string that names a model, not "" (command line).'],
    ['an answer file without a name', ['exec', '-o', '', 'x'], 2, '-o takes the name of a file, not an empty one.'],
    [
      'an answer file in no folder',
      ['exec', '-o', 'no/such/folder/a.txt', 'x'],
      1,
      'it, or a folder above it, does not exist. Name a file in a folder that exists and that you may write to.',
    ],
    ['an answer file that is a folder', ['exec', '-o', '.git', 'x'], 1, '/.git: it is a folder. Name a file'],
    ['a schema that is not there', ['exec', '--output-schema', 'no.json', 'x'], 1, 'no.json cannot be used: it, or a'],
    ['a schema that is not JSON', ['exec', '--output-schema', '.git/HEAD', 'x'], 1, 'cannot be used: it is not JSON.'],
    [
      'a server without an address',
      ['gateway', '--upstream', 'ftp://x'],
      1,
      '"ftp://x" is not a web address. It should look like http://localhost:8000/v1. On the command line: --upstream',
    ],
    ['an unknown provider', ['exec', '-c', 'model_provider="acme"', 'x'], 1, 'acme'],
  ];
  test.each(rows)('%s', async (_, args, code, message) => {
    const s = await scene([]);
    const result = await runOxbow(args, s);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(`oxbow: `);
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toMatch(/ {4}at |E[A-Z]{4,}: /);
    expect(s.model.requests).toHaveLength(0);
  });

  test.each([['exec', 'x'], ['config'], ['threads', 'list']])('a deleted working folder: %s', async (...args) => {
    const s = await scene([]);
    const wrap = ['/bin/sh', '-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"'];
    const result = await runOxbow(args, { ...s, wrap });
    expect(result.code).toBe(1);
    expect(result.stderr).toBe('oxbow: The working folder was deleted. Change to one that exists and start again.\n');
  });

  test('a missing key names its variable', async () => {
    const s = await scene([reply(say('done'))]);
    const result = await runOxbow(['exec', '--json', 'x'], { ...s, env: { SCRIPTED_KEY: '' } });
    expect(result.code).toBe(1);
    expect(result.events.at(-1)).toMatchObject({
      error: { message: 'Missing environment variable: `SCRIPTED_KEY`. Set it to the key of Scripted.' },
    });
    expect(s.model.requests).toHaveLength(0);
  });
});

test('help and version', async () => {
  const s = await scene([]);
  const overview = await runOxbow(['--help'], s);
  expect(overview.stdout).toContain('oxbow COMMAND [options]');
  const help = await runOxbow(['exec', '--help'], s);
  expect(help.code).toBe(0);
  for (const text of ['--max-requests N', 'Exit codes:', 'Example:']) expect(help.stdout).toContain(text);
  expect((await runOxbow(['--version'], s)).stdout).toMatch(/^oxbow \d+\.\d+\.\d+\n$/);
});

test('a home that is not writable is named, and --ephemeral does not need one', async () => {
  const s = await scene([reply(say('done'))]);
  const env = { OXBOW_HOME: '/dev/null/home' };
  const settings = ['-c', `model_providers.s={base_url="${s.model.url}"}`, '-c', 'model_provider="s"', '-m', 'm'];
  const refused = await runOxbow(['exec', ...settings, 'x'], { workspace: s.workspace, env });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /^oxbow: The thread cannot be kept in \/dev\/null\/home\/.*--ephemeral keeps no record\.$/m,
  );
  const allowed = await runOxbow(['exec', ...settings, '--ephemeral', 'x'], { workspace: s.workspace, env });
  expect(allowed.stdout).toBe('done\n');
});
