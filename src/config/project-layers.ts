import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withoutBarredKeys } from './barred-keys.ts';
import { keyText } from './key-text.ts';
import type { Layer } from './layers.ts';
import type { TrustLevel } from './project.ts';
import { readTomlFile } from './read-toml-file.ts';

export interface ProjectPlace {
  readonly cwd: string;
  readonly root: string | null;
  readonly trust: TrustLevel;
  readonly home: string;
  /** What `~` stands for. */
  readonly userFolder: string;
}

interface ProjectLayers {
  readonly layers: Layer[];
  readonly warnings: string[];
}

/** The settings that a project brings along, outermost folder first. They count only where the user trusts it. */
export function readProjectLayers(place: ProjectPlace): ProjectLayers {
  const files = projectFiles(place);
  const userFile = join(place.home, 'config.toml');
  // Who marked the folder as untrusted has been told.
  if (files.length === 0 || place.trust === 'untrusted') return { layers: [], warnings: [] };
  if (place.trust === 'trusted') return withoutBarredKeys(files.flatMap(readTomlFile), userFile);
  const heading = `[${keyText(['projects', place.root ?? place.cwd])}]`;
  const warning = `The settings in ${files.join(' and ')} were ignored, because the project is not trusted. To trust it, add ${heading} with trust_level = "trusted" to ${userFile}.`;
  return { layers: [], warnings: [warning] };
}

/** Outermost first. The user's own folder is no project: what lies there are the homes of Codex and Oxbow. */
function projectFiles({ cwd, root, home, userFolder }: ProjectPlace): string[] {
  const files: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    for (const name of ['.oxbow', '.codex']) {
      const path = join(folder, name, 'config.toml');
      if (folder !== userFolder && dirname(path) !== home && existsSync(path)) files.unshift(path);
    }
    if (folder === (root ?? cwd)) return files;
  }
}
