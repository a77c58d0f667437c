import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolders } from '../project-folders.ts';
import type { Sources } from '../read-sources.ts';
import { absolutePath } from '../setting/absolute-path.ts';

/** Where rules about commands lie. */
export interface RulesConfig {
  /** Whether no rules at all are wanted. */
  readonly ignored: boolean;
  /** Whether the home has rules for single projects. */
  readonly hasProjects: boolean;
  /** Those that exist. What is not trusted may forbid and ask, not allow. */
  readonly sources: readonly RulesSource[];
}

export interface RulesSource {
  readonly kind: 'file' | 'folder';
  readonly path: string;
  readonly trusted: boolean;
}

/** `rules.ignore`, `rules.files`, the home's folder of rules and those that the project brings along. */
export function readRules(sources: Sources): RulesConfig {
  const { settings, home, project, cwd, userFolder } = sources;
  if (settings.boolean('rules', 'ignore')) return { ignored: true, hasProjects: false, sources: [] };
  const folder = settings.found('rules', 'files')?.layer.folder ?? cwd;
  const named = (settings.strings('rules', 'files') ?? []).map((path) => absolutePath(path, folder, userFolder));
  const brought = projectFolders({ ...sources, root: project.root }).map((path) => join(path, 'rules'));
  return {
    ignored: false,
    hasProjects: existsSync(join(home, 'rules', 'projects')),
    sources: [
      ...existing([join(home, 'rules')], true),
      ...existing(brought, project.trusted),
      // A file that is named and missing is a mistake, found when it is read.
      ...named.map((path) => ({ kind: 'file', path, trusted: true }) as const),
    ],
  };
}

function existing(paths: readonly string[], trusted: boolean): RulesSource[] {
  return paths.filter((path) => existsSync(path)).map((path) => ({ kind: 'folder', path, trusted }));
}
