import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';

/*
 * A wire is one folder and one line in the registry. A copy of the tree gets a wire of which nothing else in the tree has ever
 * heard; its types are checked there, and it has to keep the promises of every wire, in front of the gateway and behind it.
 */

const root = join(import.meta.dirname, '../..');
const SCRATCH = join(import.meta.dirname, 'scratch-wire');
const LINE = `  scratch: { path: '/scratch', loadClient: () => import('./scratch/client.ts'), load: () => import('./scratch/wire.ts') },\n`;
const CONFIGS = ['package.json', 'tsconfig.json', 'vitest.config.ts', 'test/harness/skip-reporter.ts'];

let copy = '';

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'oxbow-scratch-wire-'));
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true, filter: isNeeded });
  for (const path of CONFIGS) cpSync(join(root, path), join(copy, path));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  addWire(join(copy, 'src/wire'));
  return () => rmSync(copy, { recursive: true, force: true });
});

/** The tests of the copy are those of all wires, and of the new one. */
function isNeeded(path: string): boolean {
  return !path.endsWith('.test.ts') || path.endsWith('src/wire/conformance.test.ts');
}

function addWire(folder: string): void {
  for (const name of readdirSync(SCRATCH, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  )) {
    const target = join(folder, 'scratch', name === 'exchange.ts' ? 'exchange.test.ts' : name);
    mkdirSync(dirname(target), { recursive: true });
    // From where the files lie now, `src/` is one folder further away.
    writeFileSync(target, readFileSync(join(SCRATCH, name), 'utf8').replaceAll('../src/', ''));
  }
  const registry = join(folder, 'registry.ts');
  const text = readFileSync(registry, 'utf8');
  const end = text.indexOf('} satisfies Record<WireName, WireEntry>');
  expect(end).toBeGreaterThan(0);
  writeFileSync(registry, text.slice(0, end) + LINE + text.slice(end));
}

async function run(program: string, ...args: readonly string[]): Promise<void> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  const done = promisify(execFile)(process.execPath, [join('node_modules', program), ...args], { cwd: copy, env });
  await done.catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  });
}

test.concurrent('the tree with one more folder and one more line has the right types', async () => {
  writeFileSync(join(copy, 'tsconfig.src.json'), '{"extends": "./tsconfig.json", "include": ["src"]}');
  await run('typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.src.json');
});

test.concurrent('the new wire keeps the promises of all wires, and the gateway and an agent speak it', async () => {
  await run('vitest/vitest.mjs', 'run', '--project', 'unit', 'src/wire/conformance.test.ts', 'src/wire/scratch');
});
