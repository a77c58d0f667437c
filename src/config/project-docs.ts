import { findProjectRoot } from './project.ts';
import { readTable } from './setting/setting.ts';
import type { Sources } from './sources.ts';
import { DEFAULT_ROOT_MARKERS, PROJECT_DOC_SETTINGS } from './tables/project-docs.ts';

/** AGENTS.md files that are sent to the model. */
export interface ProjectDocs {
  /** Folder where the chain of folders down to the working folder begins. Null: the working folder alone. */
  readonly root: string | null;
  readonly fallbackNames: readonly string[];
  /** Limit on the bytes of all files of the project together. 0: no file is sent. */
  readonly maxBytes: number;
}

export function readProjectDocs({ settings, cwd, project, hermetic }: Sources): ProjectDocs {
  const { rootMarkers, fallbackNames, maxBytes } = readTable(PROJECT_DOC_SETTINGS, settings);
  if (hermetic) return { root: null, fallbackNames, maxBytes: 0 };
  return {
    root: rootMarkers === DEFAULT_ROOT_MARKERS ? project.root : findProjectRoot(cwd, rootMarkers),
    fallbackNames,
    maxBytes: Math.floor(maxBytes),
  };
}
