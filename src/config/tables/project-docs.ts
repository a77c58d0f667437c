import { findProjectRoot } from '../project.ts';
import type { Sources } from '../read-sources.ts';
import { wrongValue } from '../setting/layers.ts';

/** Where AGENTS.md files are looked for, and how much of them is told. */
export interface ProjectDocs {
  /** Where the chain of folders down to the working folder begins; null: it is that one alone. */
  readonly root: string | null;
  readonly fallbackNames: readonly string[];
  /** In bytes, for all files of the project together; 0: none. */
  readonly maxBytes: number;
}

const DEFAULT_PROJECT_DOC_BYTES = 32 * 1024;

/** `project_doc_max_bytes`, `project_doc_fallback_filenames`, `project_root_markers`. */
export function readProjectDocs({ settings, cwd, project }: Sources): ProjectDocs {
  const markers = settings.strings('project_root_markers');
  return {
    root: markers === undefined ? project.root : findProjectRoot(cwd, markers),
    fallbackNames: readNames(settings),
    maxBytes: Math.floor(settings.number('project_doc_max_bytes') ?? DEFAULT_PROJECT_DOC_BYTES),
  };
}

/** Names alone: a path could lead anywhere. */
function readNames(settings: Sources['settings']): readonly string[] {
  const key = 'project_doc_fallback_filenames';
  const names = settings.strings(key) ?? [];
  const found = settings.found(key);
  const isName = (name: string) => name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name);
  if (found && !names.every(isName)) throw wrongValue([key], 'a list of names of files, without folders', found);
  return names;
}
