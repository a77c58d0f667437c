import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FILES, FLAG } from '../setting/kinds.ts';
import { readSetting, setting } from '../setting/setting.ts';
import type { RulesSource, Sources } from '../sources.ts';

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

/** Reads `[rules]`, and looks for the rules of the home. */
export function readRules({ settings, home, hermetic, projectRules }: Sources): RulesConfig {
  if (readSetting(RULES_SETTINGS.ignore, settings)) return { ignored: true, hasProjects: false, sources: [] };
  const named = readSetting(RULES_SETTINGS.files, settings);
  return {
    ignored: false,
    hasProjects: !hermetic && existsSync(join(home, 'rules', 'projects')),
    sources: [
      ...(!hermetic && existsSync(join(home, 'rules'))
        ? [{ kind: 'folder', path: join(home, 'rules'), trusted: true } as const]
        : []),
      ...projectRules,
      // A named file that is missing is a mistake, which is reported when the file is read.
      ...named.map((path) => ({ kind: 'file', path, trusted: true }) as const),
    ],
  };
}
