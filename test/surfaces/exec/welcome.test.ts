import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { TempWorkspace } from '../../../src/testing/index.ts';
import { type OxbowOptions, runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { startProgram } from '../../harness/start-program.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/oxbow', import.meta.url));

async function welcome(workspace: TempWorkspace, options: Partial<OxbowOptions> = {}): Promise<string> {
  const result = await runOxbow([], { workspace, ...options });
  expect(result.stderr).toBe('');
  expect(result.code).toBe(0);
  return result.stdout;
}

test('a new user sees what exists, what is missing and what to type', async () => {
  const { workspace } = await scene([]);
  const home = join(workspace.home, 'new');
  const text = await welcome(workspace, { env: { OXBOW_HOME: home } });
  expect(text).toMatch(/^oxbow \d+\.\d+\.\d+\n/);
  expect(text).toContain(`home     ${home} (set by OXBOW_HOME, created when needed)`);
  expect(text).toContain('config   none, the defaults apply');
  expect(text).toMatch(/model {4}\S+ \(OpenAI\)/);
  expect(text).toContain('key      none: OPENAI_API_KEY is not set');
  expect(text).toContain(`project  ${workspace.path} (not marked as trusted)`);
  expect(text).toMatch(/Missing\n[\s\S]*A key for OpenAI: oxbow login, or export OPENAI_API_KEY=…\n/);
  expect(text).toMatch(/Next\n[\s\S]*oxbow demo[\s\S]*oxbow --help\n$/);
  expect(text).not.toContain('\u001b');
  expect(existsSync(home)).toBe(false);
});

test('a key is named by its source and never printed', async () => {
  const { workspace } = await scene([]);
  const env = { OPENAI_API_KEY: 'sk-secret-1', CODEX_API_KEY: 'sk-secret-2' };
  const general = await welcome(workspace, { env });
  expect(general).toContain('key      from CODEX_API_KEY');
  expect(general).toContain('oxbow exec "explain this project"');
  expect(await welcome(workspace, { env: { OPENAI_API_KEY: 'sk-secret-1' } })).toContain(
    'key      from OPENAI_API_KEY',
  );
  writeFileSync(join(workspace.home, 'auth.json'), '{"OPENAI_API_KEY":"sk-secret-3"}');
  const stored = await welcome(workspace, { env: { OPENAI_API_KEY: 'sk-secret-1' } });
  expect(stored).toContain(`key      from ${join(workspace.home, 'auth.json')}`);
  writeFileSync(join(workspace.home, 'auth.json'), 'sk-secret-4');
  const broken = await welcome(workspace);
  expect(broken).toContain(`${join(workspace.home, 'auth.json')} is cut off, or is not JSON.`);
  expect(general + stored + broken).not.toContain('sk-secret');
});

test('the key of a custom provider comes from its own variable', async () => {
  const s = await scene([]);
  expect(await welcome(s.workspace, { model: s.model })).toContain('key      from SCRIPTED_KEY');
  const unset = await welcome(s.workspace, { model: s.model, env: { SCRIPTED_KEY: '' } });
  expect(unset).toContain('A key for Scripted: export SCRIPTED_KEY=…');
  s.workspace.configure('model_provider = "ollama"\nmodel = "small"\nsandbox_mode = "danger-full-access"');
  const local = await welcome(s.workspace);
  expect(local).toContain('key      none needed');
  expect(local).toContain('sandbox  off (danger-full-access)');
  expect(local).not.toContain('Missing');
});

test('a broken config.toml is shown as the thing to repair', async () => {
  const { workspace } = await scene([]);
  workspace.configure('model = ');
  const text = await welcome(workspace);
  expect(text).toContain(`config   ${join(workspace.home, 'config.toml')}\n`);
  expect(text).toMatch(new RegExp(`Missing\n  ${join(workspace.home, 'config.toml')} is not valid TOML`));
  expect(text).toContain('oxbow demo');
});

test('an unknown provider is shown as the thing to repair, next to everything else', async () => {
  const { workspace } = await scene([]);
  workspace.configure('model_provider = "acme"');
  const text = await welcome(workspace);
  expect(text).toContain('Unknown model provider "acme"');
  expect(text).toContain(`project  ${workspace.path}`);
});

test('trust and a missing repository are shown', async () => {
  const { workspace } = await scene([]);
  workspace.configure(`[projects."${workspace.path}"]\ntrust_level = "trusted"`);
  expect(await welcome(workspace)).toContain(`project  ${workspace.path} (trusted)`);
  const outside = join(workspace.home, 'outside');
  mkdirSync(outside);
  const text = await welcome(workspace, { cwd: outside });
  expect(text).toContain(`project  ${outside} (not a git repository, and not trusted)`);
  expect(text).toContain('oxbow exec --skip-git-repo-check');
});

test('it needs neither a home nor an existing folder', async () => {
  const { workspace } = await scene([]);
  const gone = join(workspace.home, 'gone');
  mkdirSync(gone);
  const program = await startProgram({
    command: '/bin/sh',
    args: ['-c', `cd ${gone} && rmdir ${gone} && exec ${process.execPath} ${PROGRAM}`],
    cwd: workspace.path,
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
  });
  const result = await program.wait();
  expect(result.code).toBe(0);
  expect(result.stdout).toMatch(/Missing\n[\s\S]*Next\n/);
});

test('the version is also available as JSON', async () => {
  const { workspace } = await scene([]);
  const plain = await runOxbow(['--version'], { workspace });
  const program = await startProgram({
    command: process.execPath,
    args: [PROGRAM, '--version', '--json'],
    cwd: workspace.path,
    env: {},
  });
  const { code, stdout } = await program.wait();
  expect(code).toBe(0);
  const version = plain.stdout.replace('oxbow ', '').trim();
  expect(JSON.parse(stdout)).toEqual({ name: 'oxbow', version, node: process.versions.node });
});
