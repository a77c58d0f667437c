import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PATH } from '../environment/test-environment.ts';

/** A git repository for tests. */
export interface TestRepository {
  /** Temporary folder that contains the repository. */
  readonly folder: string;
  readonly root: string;
  /** Variables that keep the settings of this machine from git. */
  readonly env: Readonly<Record<string, string>>;
  git(...args: string[]): string;
  write(name: string, content: string): void;
  /** Commits everything. Returns the id of the commit. */
  commit(subject: string): string;
  dispose(): void;
}

/** Creates an empty repository with the branch main. */
export function createTestRepository(name = 'project'): TestRepository {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-git-')));
  const root = join(folder, name);
  const env = {
    PATH,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  mkdirSync(root);
  git('init', '--quiet', '--initial-branch=main');
  return {
    folder,
    root,
    env,
    git,
    write(file, content) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), content);
    },
    commit(subject) {
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '-m', subject);
      return git('rev-parse', 'HEAD');
    },
    dispose: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
