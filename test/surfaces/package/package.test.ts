import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const repository = join(import.meta.dirname, '../../..');
const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
};
/** `oxbow`, `oxbow/wire`, … */
const subpaths = Object.keys(manifest.exports).map((path) => path.replace('.', 'oxbow'));
const modules = subpaths.filter((path) => !path.endsWith('.json'));

let root: string;
let project: string;
let tarball: string;
let packed: readonly string[];

/** Runs a program and returns its output. Throws with all of its output. */
function run(command: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: root, npm_config_cache: join(root, 'cache') };
  try {
    return execFileSync(command, args, { cwd: project, env, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  }
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'oxbow-package-'));
  project = join(root, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"name":"project","private":true,"type":"module"}');
  // The tree is built already; prepack would build it again.
  const said = run('npm', 'pack', repository, '--ignore-scripts', '--json', '--pack-destination', root);
  const [entry] = JSON.parse(said) as [{ filename: string; files: { path: string }[] }];
  tarball = join(root, entry.filename);
  packed = entry.files.map(({ path }) => path);
  const others = readdirSync(terminals).map((name) => pack(join(terminals, name)));
  run(
    'npm',
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--offline',
    '--omit=optional',
    tarball,
    ...others,
  );
}, 120_000);

/** Packages with compiled code are not bundled. Here they come from the repository's own node_modules. */
const terminals = join(repository, 'node_modules/@lydell');

function pack(folder: string): string {
  const said = run('npm', 'pack', folder, '--ignore-scripts', '--json', '--pack-destination', root);
  const [{ filename }] = JSON.parse(said) as [{ filename: string }];
  return join(root, filename);
}

afterAll(() => rmSync(root, { recursive: true, force: true }));

test('the package is small and has no sources, tests or build metadata', () => {
  expect(statSync(tarball).size).toBeLessThan(15 * 1024 * 1024);
  expect(packed).toEqual(expect.arrayContaining(['bin/oxbow', 'dist/program/cli.js', 'LICENSE', 'README.md']));
  const allowed =
    /^(bin|docs)\/|^dist\/.*(\.js|\.js\.cache|\.d\.ts)$|^dist\/program\/package\.json$|^(package\.json|[A-Z][A-Z_]*(\.md)?)$/;
  expect(packed.filter((path) => !allowed.test(path) || /\.test\.|fixtures/.test(path))).toEqual([]);
});

test('it installs only the package for terminals and, where it is available, the one for images', () => {
  const tree = JSON.parse(run('npm', 'ls', '--all', '--json'));
  expect(Object.keys(tree.dependencies.oxbow.dependencies)).toEqual(['@lydell/node-pty', 'sharp']);
  expect(run('ls', 'node_modules').trim().split('\n')).toEqual(['@lydell', 'oxbow']);
});

test('a command gets a terminal, and without the package an error that says so', () => {
  writeFileSync(join(project, 'terminal.mjs'), TERMINAL);
  expect(run('node', 'terminal.mjs')).toContain('/dev/pts/');
  renameSync(join(project, 'node_modules/@lydell'), join(root, 'lydell'));
  expect(run('node', 'terminal.mjs')).toMatch(/terminal/);
  renameSync(join(root, 'lydell'), join(project, 'node_modules/@lydell'));
});

test('the installed program runs', () => {
  expect(run('node_modules/.bin/oxbow', '--version')).toBe(`oxbow ${manifest.version}\n`);
  expect(run('node_modules/.bin/oxbow', 'demo', '--fast')).toContain('and with 0 after it');
});

test('every subpath can be imported and, except for the manifest, required', () => {
  const lines = subpaths.map((path) => {
    const json = path.endsWith('.json') ? `, { with: { type: 'json' } }` : '';
    return `console.log(Object.keys(await import('${path}'${json})).length > 0);`;
  });
  writeFileSync(join(project, 'imports.mjs'), lines.join('\n'));
  expect(run('node', 'imports.mjs')).toBe('true\n'.repeat(subpaths.length));
  writeFileSync(join(project, 'requires.cjs'), modules.map((path) => `require('${path}');`).join('\n'));
  run('node', 'requires.cjs');
});

test('a strict program that uses every subpath type-checks', () => {
  const imports = subpaths.map((path, index) => {
    const json = path.endsWith('.json');
    return `import ${json ? '' : '* as '}m${index} from '${path}'${json ? ` with { type: 'json' }` : ''};`;
  });
  writeFileSync(join(project, 'program.ts'), `${imports.join('\n')}\n${PROGRAM}`);
  const options = {
    strict: true,
    noEmit: true,
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    resolveJsonModule: true,
    types: ['node'],
    typeRoots: [join(repository, 'node_modules/@types')],
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['program.ts'] }));
  expect(run('node', join(repository, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json')).toBe('');
});

const TERMINAL = `
import { createAgent } from 'oxbow';
import { call, reply, say, startScriptedModel } from 'oxbow/testing';

const model = await startScriptedModel([reply(call('exec_command', { cmd: 'tty', tty: true })), reply(say('done'))]);
const agent = createAgent({
  settings: {
    model: 'm',
    model_provider: 'x',
    sandbox_mode: 'danger-full-access',
    model_providers: { x: { base_url: model.url, wire_api: 'responses' } },
  },
});
const thread = await agent.startThread({ ephemeral: true });
await thread.run('go');
console.log(model.requests[1].body.input.at(-1).output);
await thread.close();
await model.close();
`;

const PROGRAM = `
import { createAgent, type Event } from 'oxbow';
import { call, reply, say, startScriptedModel } from 'oxbow/testing';

export async function ask(onEvent: (event: Event) => void): Promise<string> {
  const model = await startScriptedModel([reply(call('exec_command', { cmd: 'ls' })), reply(say('done'))]);
  const agent = createAgent({
    settings: { model: 'm', model_provider: 'x', model_providers: { x: { base_url: model.url } } },
  });
  const thread = await agent.startThread({ ephemeral: true, onEvent });
  const result = await thread.run('go');
  await thread.close();
  // @ts-expect-error A text is no number: the types are really there.
  const wrong: number = result.finalResponse;
  return String(wrong);
}
`;
