import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FILES, FLAG } from '../setting/kinds.ts';
import { readSetting, setting } from '../setting/setting.ts';
import type { Sources } from '../sources.ts';

export const RULES_SETTINGS = {
  /** Further files of [rules](approvals.md#rules). */
  files: setting('rules.files', FILES, { default: [] }),
  /** Whether no rules are used at all, as with `exec --ignore-rules`. */
  ignore: setting('rules.ignore', FLAG, { default: false }),
};

/** Files and folders with rules about commands. */
export interface RulesConfig {
  /** Whether no rules are used at all. */
  readonly ignored: boolean;
  /** Whether the home has rules for single projects. */
  readonly hasProjects: boolean;
  /** Existing files and folders, and the files that `rules.files` names. */
  readonly sources: readonly RulesSource[];
}

export interface RulesSource {
  readonly kind: 'file' | 'folder';
  readonly path: string;
  /** Whether its rules may allow commands. The others may forbid and ask. */
  readonly trusted: boolean;
}

/** Reads `[rules]`, and looks for folders of rules in the home and in the project. */
export function readRules({ settings, home, project, projectFolders }: Sources): RulesConfig {
  if (readSetting(RULES_SETTINGS.ignore, settings)) return { ignored: true, hasProjects: false, sources: [] };
  const named = readSetting(RULES_SETTINGS.files, settings);
  return {
    ignored: false,
    hasProjects: existsSync(join(home, 'rules', 'projects')),
    sources: [
      ...existing([join(home, 'rules')], true),
      ...existing(
        projectFolders.map((folder) => join(folder, 'rules')),
        project.trusted,
      ),
      // A named file that is missing is a mistake, which is reported when the file is read.
      ...named.map((path) => ({ kind: 'file', path, trusted: true }) as const),
    ],
  };
}

function existing(paths: readonly string[], trusted: boolean): RulesSource[] {
  return paths.filter((path) => existsSync(path)).map((path) => ({ kind: 'folder', path, trusted }));
}
