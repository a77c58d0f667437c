import { COUNT, refined, TEXTS } from '../setting/kinds.ts';
import { setting } from '../setting/setting.ts';

export const DEFAULT_ROOT_MARKERS: readonly string[] = ['.git'];

/** Names alone: a path could lead anywhere. */
const FILE_NAMES = refined(TEXTS, 'a list of names of files, without folders', (names) => names.every(isFileName));

function isFileName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name);
}

export const PROJECT_DOC_SETTINGS = {
  /** Number of bytes of the project's [AGENTS.md](prompt.md#agentsmd) files that are sent, all together. 0 for none. */
  maxBytes: setting('project_doc_max_bytes', COUNT, { default: 32 * 1024 }),
  /** Names of files that are read in folders without AGENTS.md, such as `["CONTRIBUTING.md"]`. */
  fallbackNames: setting('project_doc_fallback_filenames', FILE_NAMES, { default: [] }),
  /** Names that mark the folder where the chain of AGENTS.md files begins. */
  rootMarkers: setting('project_root_markers', TEXTS, { default: DEFAULT_ROOT_MARKERS }),
};
