import { dirname, join } from 'node:path';

export interface ProjectFolders {
  readonly cwd: string;
  readonly root: string | null;
  readonly home: string;
  /** Folder that `~` stands for. */
  readonly userFolder: string;
}

/**
 * Returns the folders in which a project may keep settings and rules, outermost first. They need not exist. The user's
 * own folder is not a project: it holds the homes of Codex and Oxbow.
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
