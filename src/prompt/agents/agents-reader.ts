import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { isInside } from '../../base/guarded-paths.ts';
import { type AgentsText, composeAgents } from './compose-agents.ts';
import { type FoundDocument, findDocument, type Objection } from './find-document.ts';

export interface AgentsSettings {
  readonly home: string;
  readonly cwd: string;
  /** Folder where the chain of folders down to the working folder begins. Null: the working folder alone. */
  readonly root: string | null;
  /** Names that count in a folder without the usual ones. */
  readonly fallbackNames: readonly string[];
  /** Limit on the bytes of all files of the project together. 0: no file of the project is read. */
  readonly maxBytes: number;
  /** Whether links in the project may lead out of it. */
  readonly trusted: boolean;
  /** Reports whether a path may not be read. */
  isDenied(path: string): boolean;
  /** Returns milliseconds since 1970. */
  now(): number;
}

const USUAL_NAMES = ['AGENTS.override.md', 'AGENTS.md'];

/** Time within which a file that changed may change again unnoticed: the clocks of file systems are coarse. */
const UNSETTLED_MS = 2000;

/**
 * Returns a reader of the home's file and of the files from the project's root down to the working folder. Files are
 * read again only when they have changed. The reader returns the same object as long as the texts are the same.
 */
export function createAgentsReader(settings: AgentsSettings): () => AgentsText {
  const { home, maxBytes, now } = settings;
  const folders = maxBytes === 0 ? [] : foldersOf(settings);
  const names = [...USUAL_NAMES, ...settings.fallbackNames];
  const objection = projectObjection(settings);
  let last: { readonly stamp: string; readonly settled: boolean; readonly result: AgentsText } | undefined;

  return () => {
    const homeFiles = USUAL_NAMES.flatMap((name) => findDocument(home, [name], noObjection) ?? []);
    const projectFiles = folders.flatMap((folder) => findDocument(folder, names, objection) ?? []);
    const found = [...homeFiles, ...projectFiles];
    const stamp = found.map(stampOf).join('\n');
    if (last?.settled && last.stamp === stamp) return last.result;
    const settled = found.every((one) => 'fault' in one || now() - one.changedAt > UNSETTLED_MS);
    const result = composeAgents({ home: homeFiles, project: projectFiles, maxBytes });
    last = { stamp, settled, result: last && isSame(last.result, result) ? last.result : result };
    return last.result;
  };
}

const noObjection = () => undefined;

const stampOf = (found: FoundDocument) => ('fault' in found ? `${found.path} ${found.fault}` : found.stamp);

const isSame = (a: AgentsText, b: AgentsText) => a.text === b.text && a.faults.join('\n') === b.faults.join('\n');

function foldersOf({ cwd, root }: AgentsSettings): readonly string[] {
  const folders = [cwd];
  for (let folder = cwd; root !== null && folder !== root && folder !== dirname(folder); ) {
    folder = dirname(folder);
    folders.unshift(folder);
  }
  return folders;
}

/**
 * Returns the objections to the files of a project. The target of a link is sent to the model, and a stranger may have
 * made the link.
 */
function projectObjection({ root, cwd, trusted, isDenied }: AgentsSettings): Objection {
  let top: string | undefined;
  return (path, real) => {
    if (isDenied(path) || isDenied(real)) return 'is left out, because deny_read names it.';
    if (trusted || real === path) return undefined;
    top ??= realFolder(root ?? cwd);
    if (isInside(real, top)) return undefined;
    return `is left out: it links to ${real}, and the project is not trusted, so that its links may not lead out of it.`;
  };
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // The folder has just gone away, and no file lies in it.
    return path;
  }
}
