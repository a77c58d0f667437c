import { dirname, join } from 'node:path';

export interface ProjectFolders {
  readonly cwd: string;
  readonly root: string | null;
  readonly home: string;
  /** What `~` stands for. */
  readonly userFolder: string;
}

/**
 * Where a project may keep what it brings along, outermost first; they need not exist. The user's own folder is no
 * project: what lies there are the homes of Codex and Oxbow.
 */
export function projectFolders({ cwd, root, home, userFolder }: ProjectFolders): string[] {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    for (const name of ['.oxbow', '.codex']) {
      const path = join(folder, name);
      if (folder !== userFolder && path !== home) folders.unshift(path);
    }
    if (folder === (root ?? cwd)) return folders;
  }
}
