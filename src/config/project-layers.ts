import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withoutBarredKeys } from './barred-keys.ts';
import type { TrustLevel } from './project.ts';
import { type ProjectFolders, projectFolders } from './project-folders.ts';
import { tighteningOnly } from './project-limits.ts';
import { readTomlFile } from './read-toml-file.ts';
import { keyText } from './setting/key-text.ts';
import type { Layer } from './setting/layers.ts';

export interface ProjectPlace extends ProjectFolders {
  readonly trust: TrustLevel;
}

interface ProjectLayers {
  readonly layers: Layer[];
  readonly warnings: string[];
}

/**
 * The settings that a project brings along, outermost folder first. They count only where the user trusts it, and even
 * then they may make stricter, never looser, what `below` says about commands.
 */
export function readProjectLayers(place: ProjectPlace, below: readonly Layer[]): ProjectLayers {
  const files = projectFolders(place)
    .map((folder) => join(folder, 'config.toml'))
    .filter((path) => existsSync(path));
  const userFile = join(place.home, 'config.toml');
  // Who marked the folder as untrusted has been told.
  if (files.length === 0 || place.trust === 'untrusted') return { layers: [], warnings: [] };
  if (place.trust === 'trusted') {
    const allowed = withoutBarredKeys(files.flatMap(readTomlFile), userFile);
    const tight = tighteningOnly(allowed.layers, below, userFile);
    return { layers: tight.layers, warnings: [...allowed.warnings, ...tight.warnings] };
  }
  const heading = `[${keyText(['projects', place.root ?? place.cwd])}]`;
  const warning = `The settings in ${files.join(' and ')} were ignored, because the project is not trusted. To trust it, add ${heading} with trust_level = "trusted" to ${userFile}.`;
  return { layers: [], warnings: [warning] };
}
