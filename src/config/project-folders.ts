import { dirname, join } from 'node:path';

export interface ProjectPlace {
  readonly cwd: string;
  readonly root: string | null;
  readonly home: string;
  /** Folder that `~` stands for. */
  readonly userFolder: string;
}

/** Folders in which a project may keep settings and rules, outermost first. They need not exist. */
export interface ProjectFolders {
  /** Folders at the root of the project. Commands cannot change them. */
  readonly atRoot: readonly string[];
  /** Folders between the root and the working folder. Commands may be able to write to them. */
  readonly below: readonly string[];
}

/**
 * Returns the folders in which a project may keep settings and rules. The user's own folder is not a project: it holds
 * the homes of Codex and Oxbow.
 */
export function projectFolders({ cwd, root, home, userFolder }: ProjectPlace): ProjectFolders {
  const top = root ?? cwd;
  const below: string[] = [];
  for (let folder = cwd; folder !== top; folder = dirname(folder)) below.unshift(...foldersIn(folder));
  return { atRoot: foldersIn(top), below };

  function foldersIn(folder: string): string[] {
    if (folder === userFolder) return [];
    return ['.codex', '.oxbow'].map((name) => join(folder, name)).filter((path) => path !== home);
  }
}
