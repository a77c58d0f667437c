import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { createWorkspace, reply, say, startScriptedModel } from '../../src/testing/index.ts';
import { scriptedConfig } from '../harness/scripted-config.ts';

/*
 * A part to add: one folder and one line in a registry. A copy of the tree gets one part of each kind, which nothing
 * else in the tree knows. In that copy the types are checked, the rules of the architecture hold, and the parts keep
 * the promises of their kinds.
 */

interface Part {
  readonly folder: string;
  readonly registry: string;
  /** Import that the registry needs besides the line. */
  readonly imports?: string;
  readonly line: string;
  /** Text of the registry before which the line is inserted. */
  readonly before: string;
}

const PARTS: Readonly<Record<string, Part>> = {
  wire: {
    folder: 'src/wire/scratch',
    registry: 'src/wire/registry.ts',
    line: `  scratch: { path: '/scratch', loadClient: () => import('./scratch/client.ts'), load: () => import('./scratch/wire.ts') },`,
    before: '} satisfies Record<WireName, WireEntry>',
  },
  tool: {
    folder: 'src/tools/scratch',
    registry: 'src/tools/registry.ts',
    imports: `import { scratchFacts } from './scratch/facts.ts';`,
    line: `  { kind: 'shell', ...scratchFacts, load: () => import('./scratch/tool.ts') },`,
    before: '];\n',
  },
  provider: {
    folder: 'src/model/providers/scratch',
    registry: 'src/model/providers/index.ts',
    imports: `import { scratch } from './scratch/settings.ts';`,
    line: '  scratch,',
    before: '};\n',
  },
  store: {
    folder: 'src/store/scratch',
    registry: 'src/store/conformance.test.ts',
    imports: `import { scratchStore } from './scratch/scratch-store.ts';`,
    line: '  scratch: scratchStore,',
    before: '};\n\nfor (const',
  },
  environment: {
    folder: 'src/exec/scratch',
    registry: 'src/exec/conformance.test.ts',
    imports: `import { scratchEnvironment } from './scratch/scratch-environment.ts';`,
    line: '  scratch: scratchEnvironment,',
    before: '};\n\nfor (const',
  },
  surface: {
    folder: 'src/cli/scratch',
    registry: 'src/cli/commands/index.ts',
    line: `  scratch: { summary: 'Shout one answer', load: () => import('../scratch/command.ts') },`,
    before: '};\n',
  },
};

const root = join(import.meta.dirname, '../..');
const NEEDED = [
  'src',
  'bin',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
  'build.mjs',
  'build-code-cache.cjs',
  'AGENTS.md',
];
const TESTS = [
  'test/architecture',
  'test/architecture.test.ts',
  'test/harness/summary-reporter.ts',
  'test/harness/runs.ts',
  'test/harness/sshd.ts',
];

let copy = '';

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'oxbow-scratch-'));
  for (const path of [...NEEDED, ...TESTS])
    cpSync(join(root, path), join(copy, path), { recursive: true, filter: isKept });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const [name, part] of Object.entries(PARTS)) addPart(join(import.meta.dirname, 'scratch', name), part);
  return () => rmSync(copy, { recursive: true, force: true });
});

/** Reports whether a test stays in the copy: the suites of the kinds, and the tests of the new parts. */
function isKept(path: string): boolean {
  return !/architecture\/scratch|(?<!conformance|architecture)\.test\.ts$/.test(relative(root, path));
}

function addPart(from: string, { folder, registry, imports = '', line, before }: Part): void {
  for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))) {
    const target = join(copy, folder, name.replace('scratch-test.ts', 'scratch.test.ts'));
    const source = `${relative(dirname(target), join(copy, 'src'))}/`;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, readFileSync(join(from, name), 'utf8').replaceAll(/(?:\.\.\/)+src\//g, source));
  }
  const text = readFileSync(join(copy, registry), 'utf8');
  const end = text.indexOf(before);
  expect(end, `${registry} has a place for one more line`).toBeGreaterThan(0);
  writeFileSync(join(copy, registry), `${imports}\n${text.slice(0, end)}${line}\n${text.slice(end)}`);
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { PATH, HOME } = process.env;
  const done = promisify(execFile)(process.execPath, args, {
    cwd: copy,
    env: { PATH, HOME, ...env },
    timeout: 110_000,
  });
  const failed = (error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  };
  return (await done.catch(failed)).stdout;
}

test.concurrent('the types are right', async () => {
  writeFileSync(join(copy, 'tsconfig.src.json'), '{"extends": "./tsconfig.json", "include": ["src"]}');
  await run(['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.src.json']);
});

test.concurrent('they keep the contracts of their kinds, and agent and gateway use them', async () => {
  const suites = ['src/wire/conformance.test.ts', 'src/store/conformance.test.ts', 'src/exec/conformance.test.ts'];
  await run(['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', ...suites, '/scratch/', '-t', 'scratch']);
});

test.concurrent('the program has the command, and the rules of the architecture hold', async ({ onTestFinished }) => {
  await run(['build.mjs', '--no-types']);
  await run(['node_modules/vitest/vitest.mjs', 'run', '--project', 'architecture']);
  const model = await startScriptedModel([reply(say('hello'))]);
  onTestFinished(() => model.close());
  const workspace = createWorkspace();
  onTestFinished(workspace.dispose);
  workspace.configure(scriptedConfig(model.url, {}));
  const env = { HOME: workspace.home, OXBOW_HOME: workspace.home, SCRIPTED_KEY: 'k' };
  expect(await run(['bin/oxbow', 'scratch', 'say', 'hello'], env)).toBe('HELLO\n');
  expect(await run(['bin/oxbow', '--help'])).toContain('Shout one answer');
});
