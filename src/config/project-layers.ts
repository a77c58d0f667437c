import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withoutBarredKeys } from './barred-keys.ts';
import type { TrustLevel } from './project.ts';
import { withoutLooserSettings } from './project-limits.ts';
import { readTomlFile } from './read-toml-file.ts';
import { keyText } from './setting/key-text.ts';
import type { Layer } from './setting/layers.ts';

export interface ProjectFacts {
  /** Folders in which the project may keep settings, outermost first. */
  readonly folders: readonly string[];
  /** Root of the project; the working folder outside projects. */
  readonly root: string;
  readonly trust: TrustLevel;
  readonly home: string;
}

interface ProjectLayers {
  readonly layers: Layer[];
  readonly warnings: string[];
}

/**
 * Reads the settings that a project brings along, outermost folder first. They count only if the user trusts the
 * project. Even then they may make the settings about commands in `below` stricter, never looser.
 */
export function readProjectLayers(
  { folders, root, trust, home }: ProjectFacts,
  below: readonly Layer[],
): ProjectLayers {
  const files = folders.map((folder) => join(folder, 'config.toml')).filter((path) => existsSync(path));
  const userFile = join(home, 'config.toml');
  // A user who marked the folder as untrusted knows that its files are ignored.
  if (files.length === 0 || trust === 'untrusted') return { layers: [], warnings: [] };
  if (trust === 'trusted') {
    const allowed = withoutBarredKeys(files.flatMap(readTomlFile), userFile);
    const tight = withoutLooserSettings(allowed.layers, below, userFile);
    return { layers: tight.layers, warnings: [...allowed.warnings, ...tight.warnings] };
  }
  const heading = `[${keyText(['projects', root])}]`;
  const warning = `The settings in ${files.join(' and ')} were ignored, because the project is not trusted. To trust it, add ${heading} with trust_level = "trusted" to ${userFile}.`;
  return { layers: [], warnings: [warning] };
}
