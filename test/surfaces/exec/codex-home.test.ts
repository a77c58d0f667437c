import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runOnTerminal } from '../../harness/run-on-terminal.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

/** Returns the environment of a user who has a home of Codex and none of Oxbow. */
function fromCodex(folder: string) {
  const codex = join(folder, '.codex');
  mkdirSync(codex, { recursive: true });
  return { env: { HOME: folder, OXBOW_HOME: '' }, codex, own: join(folder, '.oxbow') };
}

test('the home of Codex is offered once, on a terminal, and never written to', async () => {
  const { model, workspace } = await scene([]);
  const { env, codex, own } = fromCodex(join(workspace.path, 'user'));
  const list = async () => (await (await runOnTerminal(['threads', 'list'], { workspace, model, env })).wait()).text;
  expect((await list()).replaceAll(/\r?\n/g, '')).toContain(
    `note: ${own} is used. For the settings, sign-in and threads of Codex: export OXBOW_HOME=${codex}`,
  );
  expect(await list()).not.toContain('note:');
  expect(readdirSync(codex)).toEqual([]);
});

test('without a terminal nothing is offered, and oxbow, doctor and config say which home is used', async () => {
  const { workspace } = await scene([]);
  const { env, codex, own } = fromCodex(join(workspace.path, 'user'));
  expect((await runOxbow(['threads', 'list'], { workspace, env })).stderr).not.toContain('note:');
  expect(existsSync(own)).toBe(false);
  const welcome = await runOxbow([], { workspace, env });
  expect(welcome.stdout).toContain(`${own} (created when needed)`);
  expect(welcome.stdout).toContain(`to use that of Codex: export OXBOW_HOME=${codex}`);
  const doctor = await runOxbow(['doctor'], { workspace, env });
  expect(doctor.stdout).toContain(`${own} (default, created when needed); the home of Codex, ${codex}, is not used`);
  expect((await runOxbow(['config'], { workspace, env })).stdout).toContain(`# home: ${own} (default)\n`);
});

test('a home of Codex that CODEX_HOME names is used, and named', async () => {
  const { workspace } = await scene([]);
  const { codex } = fromCodex(join(workspace.path, 'user'));
  const env = { HOME: join(workspace.path, 'user'), OXBOW_HOME: '', CODEX_HOME: codex };
  expect((await runOxbow([], { workspace, env })).stdout).toContain(`${codex} (set by CODEX_HOME)`);
  expect((await runOxbow(['config'], { workspace, env })).stdout).toContain(`# home: ${codex} (CODEX_HOME)\n`);
});
