import type { Env } from './home.ts';
import type { Project } from './project.ts';
import type { Layer } from './setting/layers.ts';
import type { SettingsReader } from './setting/settings-reader.ts';

/** All sources of settings, read and put in order. */
export interface Sources {
  readonly env: Env;
  readonly home: string;
  readonly cwd: string;
  /** Folder that `~` stands for. */
  readonly userFolder: string;
  readonly project: Project;
  /** Folders in which the project may keep settings and rules, outermost first. They need not exist. */
  readonly projectFolders: readonly string[];
  /** Lowest first: system, user, profile, project, environment, overrides, options. */
  readonly layers: readonly Layer[];
  readonly settings: SettingsReader;
  readonly warnings: readonly string[];
}
