import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verbs as accountVerbs } from '../../src/cli/accounts/index.ts';
import { commands } from '../../src/cli/commands/index.ts';
import { verbs as mcpVerbs } from '../../src/cli/mcp/index.ts';
import { verbs } from '../../src/cli/threads/index.ts';
import { runOxbow } from '../harness/run-oxbow.ts';
import { isFull } from '../harness/runs.ts';
import { scene } from '../harness/scene.ts';
import type { ProgramResult } from '../harness/start-program.ts';
import { testInTurn } from '../harness/test-in-turn.ts';

/** Words of Node that a user must not read: traces, codes of errors, and the messages of its reader of options. */
const OF_NODE =
  /^ {4}at |node:(internal|fs)|\bE(NOENT|ISDIR|NOTDIR|ACCES|PERM|EXIST|ROFS|LOOP|ADDR\w+|CONN\w+)\b|ERR_[A-Z_]+|uv_cwd|argument missing|is ambiguous|does not take an argument|To specify an option argument|TypeError|RangeError|SyntaxError|Unexpected token/m;

/** Commands whose words are not read as options. */
const WITHOUT_OPTIONS: ReadonlySet<string> = new Set(['apply-patch']);

const LINES = [
  ...Object.keys(commands).filter((name) => !WITHOUT_OPTIONS.has(name)),
  ...Object.keys(verbs).map((verb) => `threads ${verb}`),
  ...Object.keys(mcpVerbs).map((verb) => `mcp ${verb}`),
  ...Object.keys(accountVerbs).map((verb) => `accounts ${verb}`),
].map((line) => line.split(' '));

/** One reader of options serves all commands: where not every sample is wanted, each command gets one of these, in turn. */
const WRONG = [['--nope=1'], ['--help=yes'], ['-Z'], ['--cd'], ['-C', '--json']];
const FOR_EACH = isFull() ? WRONG.length : 1;

test.each(LINES.map((line, at) => [line.join(' '), line, at] as const))(
  'wrong options after: %s',
  async (_, line, at) => {
    const { workspace } = await scene([]);
    const rows = Array.from({ length: FOR_EACH }, (_row, n) => WRONG[(at + n) % WRONG.length] ?? []);
    const results = await Promise.all(rows.map((wrong) => runOxbow([...line, ...wrong], { workspace })));
    for (const result of results) {
      expect(result).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^oxbow: .*(Unknown option|takes no value|The value of).*\.\n$/),
      });
      expectNoNode(result);
    }
  },
);

const FAULTY: readonly (readonly string[])[] = [
  ['exec', 'x'],
  ['threads', 'list'],
  ['threads', 'show', 'x'],
  ['threads', 'rename', 'x', 'y'],
  ['usage'],
  ['replay', 'x'],
  ['gateway', '--port', '0'],
  ['sandbox', '--', 'true'],
  ['trust', '--yes'],
  ['execpolicy', 'check', '--', 'ls'],
  ['mcp', 'list'],
  ['mcp', 'tools', 'x'],
  ['config'],
  ['config', 'set', 'model', 'x'],
  ['doctor'],
];

/** A place that is not as a command needs it. Runs the command there and returns its result. */
type Place = (line: readonly string[]) => Promise<ProgramResult>;

const PLACES: Readonly<Record<string, Place>> = {
  'a home that is no folder': async (line) => {
    const { workspace } = await scene([]);
    const file = join(workspace.home, 'file');
    writeFileSync(file, '');
    return runOxbow(line, { workspace, env: { OXBOW_HOME: file, OPENAI_API_KEY: '' } });
  },
  'a config.toml that is a folder': async (line) => {
    const { workspace } = await scene([]);
    mkdirSync(join(workspace.home, 'config.toml'));
    return runOxbow(line, { workspace });
  },
  'a deleted working folder': async (line) => {
    const { workspace } = await scene([]);
    const wrap = ['/bin/sh', '-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"'];
    const result = await runOxbow(line, { workspace, wrap });
    expect(result.code).not.toBe(0);
    return result;
  },
};

for (const [column, [place, run]] of Object.entries(PLACES).entries()) {
  const testOne = testInTurn(column);
  for (const line of FAULTY) testOne(`${place}: ${line.join(' ')}`, async () => expectNoNode(await run(line)));
}

test.each(['nonsense', '', 'http://', 'ftp://x', 'http://x:99999', 'http://a b'])(
  'gateway --upstream %j',
  async (url) => {
    const { workspace } = await scene([]);
    const result = await runOxbow(['gateway', '--port', '0', '--upstream', url], { workspace });
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(`"${url}" is not a web address.`) });
  },
);

test.each([
  [['exec', '-m'], 'oxbow: The value of -m MODEL is missing. See oxbow exec --help.\n'],
  [
    ['exec', '--model', '--json', 'x'],
    'oxbow: The value of --model MODEL is missing before --json. If --json is the value, write --model=--json.\n',
  ],
  [['exec', '--json=yes', 'x'], 'oxbow: --json takes no value, not even "yes". See oxbow exec --help.\n'],
  [
    ['exec', '--sandbx=read-only', 'x'],
    "oxbow: Unknown option '--sandbx'. Did you mean --sandbox? See oxbow exec --help.\n",
  ],
  [['-m', 'x'], 'oxbow: No command follows -m. See oxbow --help.\n'],
  [
    ['-m', 'x', 'fix the tests'],
    'oxbow: There is no command "fix the tests". To run it as a prompt: oxbow exec "fix the tests" -m x\n',
  ],
])('%j says what is wrong', async (args, stderr) => {
  const { workspace } = await scene([]);
  expect(await runOxbow(args, { workspace })).toMatchObject({ code: 2, stderr });
});

test('TERM=dumb gets neither colours nor movements of the cursor', async () => {
  const { workspace } = await scene([]);
  for (const line of [['config'], ['doctor'], ['--help'], ['threads', 'list'], ['usage']]) {
    const { stdout, stderr } = await runOxbow(line, { workspace, env: { TERM: 'dumb' } });
    expect(`${stdout}${stderr}`).not.toContain('\u001b');
  }
});

function expectNoNode({ stdout, stderr }: Pick<ProgramResult, 'stdout' | 'stderr'>): void {
  expect(`${stdout}${stderr}`).not.toMatch(OF_NODE);
}
