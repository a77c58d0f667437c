import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands as commandTable } from '../../../src/cli/commands/index.ts';
import { execOptions } from '../../../src/cli/exec/options.ts';
import { verbs } from '../../../src/cli/threads/index.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { createWorkspace, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';
import { type ProgramResult, startProgram } from '../../harness/start-program.ts';
import { freeNames, typeErrors, withoutTypes } from './check-types.ts';
import { ANSWERING, NAMES, type PageSetup, runnable, SETUPS, sameEverywhere, VALUES } from './doc-examples.ts';
import {
  allPages,
  type Block,
  blocksOf,
  brokenLinks,
  commandsOf,
  indentedLines,
  inlineCode,
  REPOSITORY,
  type ShownCommand,
  userPages,
} from './doc-pages.ts';
import { NOT_RUN } from './not-run.ts';
import { environmentOf, runShown } from './run-shown.ts';

const pages = userPages();
const blocks = pages.filter((page) => page !== 'docs/wire-quirks.md').flatMap(blocksOf);
const commands = blocks.flatMap(commandsOf);
const inLanguage = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language));
const named = (list: readonly Block[]) => list.map((block) => [`${block.page}:${block.line}`, block] as const);

describe('the pages', () => {
  test('say the language of each block', () => {
    const known = ['console', 'js', 'json', 'python', 'sh', 'text', 'toml', 'ts'];
    expect(blocks.filter(({ language }) => !known.includes(language))).toEqual([]);
  });

  test('link to files and headings that exist', () => {
    expect(allPages().flatMap(brokenLinks)).toEqual([]);
  });

  test('name no file of the repository that does not exist', () => {
    const missing = allPages().flatMap((page) =>
      inlineCode(page)
        .filter(
          (text) => /^(bench|examples|scripts|src|test)\/[^ <…]+$/.test(text) && !existsSync(join(REPOSITORY, text)),
        )
        .map((path) => `${page}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  test('name no flag that does not exist', () => {
    const help = [
      ['completion', 'bash'],
      ...['restore', 'delete', 'show', 'export'].map((verb) => ['threads', verb, '--help']),
    ].map((args) => execFileSync(join(REPOSITORY, 'bin/oxbow'), args, { encoding: 'utf8' }));
    const hidden = Object.keys(execOptions).map((name) => `--${name}`);
    const flags = new Set([...OTHER_FLAGS, ...hidden, ...(help.join('\n').match(/--[a-z][a-z-]+/g) ?? [])]);
    // The command lines that are compared with Codex have mistakes in them.
    const unknown = pages
      .filter((page) => page !== 'docs/codex.md')
      .flatMap((page) =>
        inlineCode(page)
          .filter((text) => !/^(claude|codex) /.test(text))
          .flatMap((text) => text.match(/(?<![\w-])--[a-z][a-z-]+/g) ?? [])
          .filter((flag) => !flags.has(flag))
          .map((flag) => `${page}: ${flag}`),
      );
    expect(unknown).toEqual([]);
  });

  test('name no command that does not exist', () => {
    const words = pages.flatMap((page) => inlineCode(page).map((text) => ({ page, words: text.split(' ') })));
    const unknown = words.filter(({ words: [program, name = '', verb = ''] }) => {
      if (program !== 'oxbow' || !/^[a-z]/.test(name)) return false;
      return (
        !(name in commandTable || ['e', 'help'].includes(name)) ||
        (name === 'threads' && /^[a-z]/.test(verb) && !(verb in verbs))
      );
    });
    expect(unknown).toEqual([]);
  });

  test('have no command outside a block that is run, but for lines about usage', () => {
    const lines = pages.flatMap(indentedLines).filter((line) => line.startsWith('oxbow '));
    expect(lines.filter((line) => !/\[|\b[A-Z]{2,}\b/.test(line))).toEqual([]);
  });

  test('name no setting that does not exist', () => {
    const overrides = pages
      .flatMap(inlineCode)
      .flatMap((text) =>
        [...text.matchAll(/(?:^| )-c ((?!features|key=)[a-z][\w.]*=[^ `]+)/g)].map(([, one = '']) => one),
      )
      .filter((one) => !one.includes('_file='));
    expect(overrides).not.toEqual([]);
    const env = { HOME: '/nonexistent' };
    const { warnings } = loadConfig({ env, cwd: REPOSITORY, systemFile: '/nonexistent', overrides });
    expect(warnings).toEqual([]);
  });

  test('have no set-up without an example', () => {
    expect(Object.keys(SETUPS).filter((page) => !commands.some((one) => one.page === page))).toEqual([]);
  });

  test('have no example that is not run without a reason, and no reason without an example', () => {
    const texts = inLanguage('text').map(({ text }) => firstLine(text));
    const programs = inLanguage('ts', 'js').filter((block) => !isStarted(block) && !isExampleFile(block));
    const lines = programs.map(({ text }) => text.split('\n'));
    expect(texts.filter((line) => !(line in NOT_RUN))).toEqual([]);
    expect(lines.filter((program) => !program.some((line) => line in NOT_RUN))).toEqual([]);
    const shown = new Set([...commands.map(({ command }) => firstLine(command)), ...texts, ...lines.flat()]);
    expect(Object.keys(NOT_RUN).filter((line) => !shown.has(line))).toEqual([]);
  });

  test('show the demo as it is', async () => {
    const program = await startProgram({
      command: process.execPath,
      args: [join(REPOSITORY, 'scripts/draw-demo.mjs'), '--check'],
      cwd: REPOSITORY,
      env: { PATH: process.env.PATH ?? '' },
    });
    expect(await program.wait()).toMatchObject({ code: 0, stderr: '' });
  });
});

const firstLine = (text: string) => text.split('\n', 1)[0] ?? '';

/** Reports whether a program is started: one of ours whose free names all have a value. */
function isStarted({ page, text }: Block): boolean {
  const isLeftOut = text.split('\n').some((line) => line in NOT_RUN);
  return !isGuide(page) && !isLeftOut && freeNames(text, Object.keys(NAMES)).every((name) => name in VALUES);
}

/** Flags of other programs, and one that Codex's has as well. */
const OTHER_FLAGS = [
  '--against',
  '--clients',
  '--enable-source-maps',
  '--experimental-json',
  '--interrupt-budget',
  '--list',
  '--only',
  '--override-with-envs',
  '--pre',
  '--test',
  '--upload-pack',
  // llm-link
  ...['--api-key', '--app', '--app-info', '--auth-key', '--list-apps', '--list-models', '--protocols'],
];

describe('shell examples', () => {
  // install.test.ts runs the whole page as one script.
  const others = pages.filter((page) => page !== 'docs/install.md');
  const withCommands = others.filter((page) => commands.some((one) => one.page === page));
  const isRunnable = ({ needs }: PageSetup) => needs === undefined || existsSync(needs);
  for (const page of withCommands) {
    const setup = SETUPS[page] ?? {};
    test.skipIf(!isRunnable(setup))(`of ${page} run`, () => runPage(page, setup));
  }
});

/** Runs the commands of a page in one workspace, in their order. */
async function runPage(page: string, setup: PageSetup): Promise<void> {
  const s = await scene(setup.script ?? (() => reply(say('Done.'))), setup.files);
  s.workspace.configure(scriptedConfig(s.model.url, setup.config));
  const run = async (...args: string[]) => (await runOxbow(args, { workspace: s.workspace })).stdout;
  const replaced = (await setup.prepare?.(s, run)) ?? {};
  for (const one of commands.filter((each) => each.page === page && !(firstLine(each.command) in NOT_RUN))) {
    const result = await runShown(s, runnable(one, replaced));
    const place = `${page}:${one.line}: ${one.command}\n${result.stdout}${result.stderr}`;
    expect(result.code, place).toBe(setup.codes?.[one.command] ?? 0);
    // A model of the reader's own is unknown, and a clone of the repository may be below /tmp. Notices say so.
    expect(result.stdout, place).not.toMatch(
      /^warning: (?!Nothing is known about the model|Commands can change Oxbow)/m,
    );
    expect(missingLines(one, result.stdout, setup.look), place).toEqual([]);
  }
}

/** Returns the lines that a page shows and the program did not print, in this order. */
function missingLines({ output }: ShownCommand, printed: string, look = (line: string) => line): string[] {
  const lines = printed.split('\n').map((line) => look(sameEverywhere(line)));
  let at = 0;
  return (output ?? []).filter((line) => {
    const wanted = look(sameEverywhere(line));
    if (wanted === '' || wanted === '…') return false;
    const found = lines.indexOf(wanted, at);
    if (found >= 0) at = found + 1;
    return found < 0;
  });
}

describe('programs', () => {
  const programs = inLanguage('ts', 'js').filter(({ page }) => !isGuide(page));

  test('type-check against the built package, and so does the program for the Codex SDK with our import', () => {
    const ported = inLanguage('ts')
      .filter(({ page }) => page === 'docs/migrate/from-codex-sdk.md')
      .map((block) => ({ ...block, text: block.text.replace("'@openai/codex-sdk'", "'oxbow/codex-sdk'") }));
    expect([ported.length, typeErrors([...programs, ...ported], NAMES)]).toEqual([1, []]);
  });

  const started = programs.filter(isStarted);

  test('run, one after another in one process', async () => {
    const prepared: Prepared[] = [];
    for (const block of started.filter((one) => !isTestFile(one))) prepared.push(await prepare(block));
    const { workspace } = await scene([]);
    workspace.write('run-all.mjs', RUN_ALL);
    workspace.write('programs.json', JSON.stringify(prepared));
    const { code, stderr } = await runNode(workspace, ['run-all.mjs']);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(prepared.length).toBeGreaterThan(20);
  });

  test.each(named(started.filter(isTestFile)))('%s runs', async (_, block) => {
    const { folder, home } = await prepare(block);
    const isVitest = block.text.includes("'vitest'");
    const args = isVitest ? ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=60000'] : ['example.test.mjs'];
    const { code, stderr } = await runNode({ path: folder, home }, args);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });
});

/** Reports whether a program is a file of tests for a framework, which runs it. */
function isTestFile({ text }: Block): boolean {
  return /'(node:test|vitest)'/.test(text);
}

/** A program in a workspace of its own. */
interface Prepared {
  readonly place: string;
  readonly folder: string;
  readonly home: string;
}

/** Runs programs as modules of one process, since loading the library takes longer than most of them. */
const RUN_ALL = `
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
for (const { place, folder, home } of JSON.parse(readFileSync('programs.json', 'utf8'))) {
  process.chdir(folder);
  process.env.HOME = home;
  process.env.OXBOW_HOME = home;
  await import(join(folder, 'example.test.mjs')).catch((error) => console.error(place, error));
}
process.exit();
`;

/** Writes a program into a workspace in which it finds the package, a model and everything that it names. */
async function prepare({ page, line, text: typed }: Block): Promise<Prepared> {
  const text = withoutTypes(typed);
  const s = await scene(SETUPS[page]?.script ?? ANSWERING);
  s.workspace.configure(scriptedConfig(s.model.url));
  mkdirSync(s.workspace.file('your-project'));
  mkdirSync(s.workspace.file('node_modules'));
  symlinkSync(REPOSITORY, s.workspace.file('node_modules/oxbow'));
  for (const name of ['zod', 'vitest', '@modelcontextprotocol'])
    symlinkSync(join(REPOSITORY, 'node_modules', name), s.workspace.file(`node_modules/${name}`));
  const run = (...args: string[]) => runOxbow(args, { workspace: s.workspace });
  if (text.includes("'slow parser'")) await makeNamedThread(run);
  if (text.includes("'count.jsonl'"))
    await run('exec', '-m', 'my-model', '--record', 'count.jsonl', 'how many files are here?');
  const values = freeNames(text, Object.keys(VALUES)).map((name) => `const ${name} = ${VALUES[name]};\n`);
  s.workspace.write('example.test.mjs', `${values.join('')}${text}`);
  return { place: `${page}:${line}`, folder: s.workspace.path, home: s.workspace.home };
}

async function runNode(
  { path: cwd, home }: { readonly path: string; readonly home: string },
  args: readonly string[],
): Promise<ProgramResult> {
  const env = environmentOf(home);
  return (await startProgram({ command: process.execPath, args, cwd, env, timeoutMs: 100_000 })).wait();
}

/** Reports whether a page is a migration guide. Its programs are those of other SDKs and files of examples/migrate. */
function isGuide(page: string): boolean {
  return page.startsWith('docs/migrate/');
}

/** Reports whether a program of a guide is a file of examples/migrate, which other tests run, or the line that begins it. */
function isExampleFile({ page, language, text }: Block): boolean {
  return (
    isGuide(page) &&
    language === 'js' &&
    [...migrateFiles().values()].some((file) => file.includes(text.replace(/ +\/\/.*/, '').trimEnd()))
  );
}

/** Returns the texts of the files of examples/migrate, by name. */
function migrateFiles(): Map<string, string> {
  const folder = join(REPOSITORY, 'examples/migrate');
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

describe('migration guides', () => {
  const guides = pages.filter(isGuide);
  const files = migrateFiles();

  test.each(guides)('%s shows a program before, and a file of examples/migrate after', (page) => {
    const [before, ...others] = inLanguage('ts').filter((block) => block.page === page);
    expect(before?.text).toMatch(/ from '(?!node:|zod)[^']+'/);
    expect([others, before?.text.includes("'oxbow'")]).toEqual([[], false]);
    const after = inLanguage('js').filter((block) => block.page === page);
    expect(after.filter(({ text }) => [...files.values()].includes(text))).toHaveLength(1);
  });

  test('mention every file of examples/migrate', () => {
    const texts = guides.map((page) => readFileSync(join(REPOSITORY, page), 'utf8')).join('\n');
    const missing = [...files].filter(([name, text]) => !texts.includes(text) && !texts.includes(`migrate/${name})`));
    expect(missing).toEqual([]);
  });
});

async function makeNamedThread(run: (...args: string[]) => Promise<ProgramResult>): Promise<void> {
  await run('exec', 'one');
  await run('exec', 'resume', '--last', 'two');
  const [{ id }] = JSON.parse((await run('threads', '--json')).stdout) as [{ id: string }];
  await run('threads', 'rename', id, 'slow parser');
}

/** Keys in the pages that only Codex reads. */
const KEYS_FOR_CODEX = new Set(['model_catalog_json']);

describe('data', () => {
  test('docs/threads.md lists the keys of oxbow threads --json', async () => {
    const s = await scene([reply(say('Done.'))]);
    await runOxbow(['exec', 'one'], s);
    const [listed] = JSON.parse((await runOxbow(['threads', '--json'], s)).stdout) as [object];
    const [shown] = inLanguage('text').filter(({ page }) => page === 'docs/threads.md');
    expect(shown?.text.match(/\w+/g)).toEqual(Object.keys(listed));
  });

  test.each(named(inLanguage('toml')))('%s is a configuration without unknown keys', (_, { text }) => {
    const workspace = createWorkspace();
    try {
      workspace.configure(text);
      const env = { HOME: workspace.home, OXBOW_HOME: workspace.home };
      const { warnings, unused } = loadConfig({ env, cwd: workspace.path, systemFile: '/nonexistent' });
      // Some blocks are for Codex, as the client of a gateway.
      expect(warnings).toHaveLength(unused.length === 0 ? 0 : 1);
      expect(unused.filter(({ key }) => !KEYS_FOR_CODEX.has(key))).toEqual([]);
    } finally {
      workspace.dispose();
    }
  });

  test.each(named(inLanguage('json')))('%s is JSON, as a whole or line by line', (_, { text }) => {
    for (const line of text.trimEnd().split('\n')) JSON.parse(line);
  });

  test.each(named(inLanguage('python')))('%s is a rules file', async (_, { text }) => {
    const { workspace } = await scene([], { 'example.rules': text });
    const args = ['execpolicy', 'check', '--rules', 'example.rules', '--json', '--', 'git', 'push', 'origin'];
    const { stdout } = await runOxbow(args, { workspace });
    expect(JSON.parse(stdout)).toMatchObject({ decision: 'prompt' });
  });
});
