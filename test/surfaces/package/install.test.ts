import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { reply, say } from '../../../src/testing/index.ts';
import { scene } from '../../harness/scene.ts';
import { startProgram } from '../../harness/start-program.ts';
import { blocksOf, inlineCode, REPOSITORY } from './doc-pages.ts';
import { startNpmRegistry } from './npm-registry.ts';

const PAGE = 'docs/install.md';
const lines = blocksOf(PAGE).flatMap(({ text }) => text.trimEnd().split('\n'));

test('the commands of docs/install.md run one after another, in an empty prefix', async () => {
  const { model } = await scene([reply(say('It greets people.'))]);
  const place = await makePlace(model.url);
  const uninstall = lines.findIndex((line) => line.startsWith('npm uninstall'));
  const run = (script: readonly string[]) => runScript(place, script);

  const installed = await run(lines.slice(0, uninstall));
  expect(installed.code, installed.stderr).toBe(0);
  expect(installed.stderr).not.toMatch(/^warning: /m);
  expect(installed.stdout).toMatch(/^oxbow \d+\.\d+\.\d+$/m);
  expect(installed.stdout).toContain('It greets people.\n');
  expect(installed.stdout).toMatch(/^ok {4}terminals /m);

  const completes = await run(['source ~/.bashrc', 'complete -p oxbow']);
  expect(completes).toMatchObject({ code: 0, stdout: expect.stringContaining('oxbow') });
  expect(readFileSync(join(place.home, '.config/fish/completions/oxbow.fish'), 'utf8')).toContain('complete -c oxbow');
  expect(existsSync(join(place.home, '.local/bin/oxbow'))).toBe(true);
  expect(existsSync(join(place.home, 'my-project/node_modules/oxbow/dist/index.js'))).toBe(true);
  const named = new Set(inlineCode(PAGE));
  expect(readdirSync(join(place.home, '.oxbow')).filter((name) => !named.has(name))).toEqual([]);

  expect(await run(lines.slice(uninstall))).toMatchObject({ code: 0 });
  expect(existsSync(join(place.prefix, 'bin/oxbow')) || existsSync(join(place.home, '.oxbow'))).toBe(false);
});

/** Folders of a machine on which nothing is installed yet. */
interface Place {
  readonly home: string;
  readonly prefix: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Makes a copy of everything that is packed, an empty home and prefix, and a registry with the packages for terminals. */
async function makePlace(modelUrl: string): Promise<Place> {
  const root = mkdtempSync(join(tmpdir(), 'oxbow-install-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, 'home');
  const prefix = join(root, 'prefix');
  for (const name of ['.oxbow', 'oxbow', 'my-project']) mkdirSync(join(home, name), { recursive: true });
  for (const name of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'bin', 'dist', 'docs'])
    cpSync(join(REPOSITORY, name), join(home, 'oxbow', name), { recursive: true });
  execFileSync('git', ['init', '-q', join(home, 'my-project')]);
  writeFileSync(join(home, 'my-project/package.json'), '{"name":"my-project","private":true}');
  writeFileSync(join(home, '.oxbow/config.toml'), `openai_base_url = "${modelUrl}"\n`);
  const registry = await startNpmRegistry(join(REPOSITORY, 'node_modules/@lydell'), root);
  onTestFinished(() => registry.close());
  const env = {
    PATH: [join(prefix, 'bin'), process.env.PATH ?? ''].join(delimiter),
    HOME: home,
    LANG: 'C.UTF-8',
    npm_config_prefix: prefix,
    npm_config_cache: join(root, 'cache'),
    npm_config_registry: registry.url,
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
    // The copy is built already, and has no tools to build it again.
    npm_config_ignore_scripts: 'true',
  };
  return { home, prefix, env };
}

async function runScript({ home, env }: Place, script: readonly string[]) {
  // The copy has neither a lock file nor the tools that npm ci installs.
  const text = script.filter((line) => line !== 'npm ci').join('\n');
  const program = await startProgram({
    command: '/bin/bash',
    // The page leaves the key out.
    args: ['-ec', text.replaceAll('=…', '=x')],
    cwd: home,
    env,
    timeoutMs: 100_000,
  });
  return program.wait();
}
