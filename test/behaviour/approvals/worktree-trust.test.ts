import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { cleanEnvironment, runOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';

/** Makes a repository that is trusted, with a linked worktree, outside /tmp, which commands may write to. */
async function trustedRepository(): Promise<{ s: Scene; base: string; main: string; config: object }> {
  const s = await scene([reply(call('exec_command', { cmd: 'touch made; pwd' }, { callId: 'c' })), reply(say('done'))]);
  const base = realpathSync(mkdtempSync('/var/tmp/oxbow-worktree-trust-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const main = join(base, 'main');
  mkdirSync(main);
  const names = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: main, env: { ...cleanEnvironment(s.workspace), ...names }, stdio: 'pipe' });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  git('worktree', 'add', '-q', '--detach', join(base, 'linked'));
  return { s, base, main, config: { sandbox_mode: undefined, projects: { [main]: { trust_level: 'trusted' } } } };
}

test('commands may write in a linked worktree of a trusted repository', async () => {
  const { s, base, config } = await trustedRepository();
  const { code } = await runOxbow(['exec', 'go'], { ...s, config: { ...config }, cwd: join(base, 'linked') });
  expect(code).toBe(0);
  expect(existsSync(join(base, 'linked/made'))).toBe(true);
});

test('commands may write in the worktree of --worktree', async () => {
  const { s, main, config } = await trustedRepository();
  await runOxbow(['exec', '--worktree', 'go'], { ...s, config: { ...config }, cwd: main });
  const worktrees = join(s.workspace.home, 'worktrees');
  const files = readdirSync(worktrees, { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => name.endsWith('/made'))).toHaveLength(1);
  expect(existsSync(join(main, 'made'))).toBe(false);
});

test('a folder whose file .git names a trusted repository is not trusted', async () => {
  const { s, base, main, config } = await trustedRepository();
  const evil = join(base, 'evil');
  mkdirSync(join(evil, '.codex'), { recursive: true });
  writeFileSync(join(evil, '.git'), `gitdir: ${join(main, '.git/worktrees/linked')}\n`);
  writeFileSync(join(evil, '.codex/config.toml'), 'model = "theirs"\n');
  const { stderr } = await runOxbow(['exec', 'go'], { ...s, config: { ...config }, cwd: evil });
  expect(stderr).toContain('were ignored, because the project is not trusted');
  expect(s.outputs(1).get('c')).toContain('Read-only file system');
  expect(existsSync(join(evil, 'made'))).toBe(false);
});
