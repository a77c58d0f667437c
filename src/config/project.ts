import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from './read-settings.ts';

export interface Project {
  /** The nearest folder upwards with a `.git`; null outside of repositories. */
  readonly root: string | null;
  /** Whether the user marked the folder or its root as trusted. */
  readonly trusted: boolean;
}

export function findProject(cwd: string, settings: Settings): Project {
  const root = findRoot(cwd);
  const trusts = (folder: string | null) =>
    folder !== null && settings.oneOf(['trusted', 'untrusted'], 'projects', folder, 'trust_level') === 'trusted';
  return { root, trusted: trusts(cwd) || trusts(root) };
}

function findRoot(folder: string): string | null {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? null : findRoot(parent);
}
