import type { Env } from './home.ts';
import type { Project } from './project.ts';
import type { Layer } from './setting/layers.ts';
import type { SettingsReader } from './setting/settings-reader.ts';

/** All sources of settings, read and put in order. */
export interface Sources {
  readonly env: Env;
  readonly home: string;
  /** Whether no file is read that the options do not name. */
  readonly hermetic: boolean;
  /** Whether files may be written to the home. */
  readonly usesHome: boolean;
  readonly cwd: string;
  /** Folder that `~` stands for. */
  readonly userFolder: string;
  readonly project: Project;
  /** Rules that the project brings along. */
  readonly projectRules: readonly RulesSource[];
  /** Lowest first: system, user, profile, project, environment, overrides, options. */
  readonly layers: readonly Layer[];
  readonly settings: SettingsReader;
  /** Keys of Codex that have no effect here. */
  readonly unused: readonly UnusedKey[];
  readonly warnings: readonly string[];
}

/** File or folder with rules about commands. */
export interface RulesSource {
  readonly kind: 'file' | 'folder';
  readonly path: string;
  /** Whether its rules may allow commands. The others may forbid and ask. */
  readonly trusted: boolean;
  /** Text of a file that was read before. */
  readonly text?: string;
  /** Why its rules may not allow anything, for a message about those that do. Absent: another message says it. */
  readonly why?: string;
}

/** Key of Codex that has no effect here. */
export interface UnusedKey {
  /** The key as TOML writes it. */
  readonly key: string;
  readonly origin: string;
  /** Sentences that say what to do about it. */
  readonly advice: string;
  /** Whether it guards something, so that a run without it could do what it forbids. */
  readonly guards: boolean;
  /** Whether it only matters to the screens of Codex, so that no run mentions it. */
  readonly quiet: boolean;
}
