import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { fileFault } from '../../base/file-fault.ts';

/** Existing file of instructions, or one that may not be used. */
export type FoundDocument = Document | { readonly path: string; readonly fault: string };

export interface Document {
  /** Path that was looked for. */
  readonly path: string;
  /** Path without links. */
  readonly real: string;
  /** Text that differs whenever the file does. */
  readonly stamp: string;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** Test that returns why a file may not be used. Undefined: the file may be used. */
export type Objection = (path: string, real: string) => string | undefined;

/** Finds the first of these names in a folder that is a regular file, or a link to one. */
export function findDocument(
  folder: string,
  names: readonly string[],
  objection: Objection,
): FoundDocument | undefined {
  for (const name of names) {
    const path = join(folder, name);
    const found = findFile(path);
    if (found === undefined) continue;
    const fault = 'fault' in found ? found.fault : objection(path, found.real);
    return fault === undefined ? found : { path, fault };
  }
  return undefined;
}

function findFile(path: string): FoundDocument | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats?.isSymbolicLink()) return stats?.isFile() ? toDocument(path, path, stats) : undefined;
    const real = realpathSync(path);
    const behind = lstatSync(real);
    return behind.isFile() ? toDocument(path, real, behind) : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOT_THERE.includes(error.code)) return undefined;
    return { path, fault: `cannot be read: ${fileFault(error)}.` };
  }
}

/** Errors of a link that leads nowhere or in a circle, and of a path through a file. */
const NOT_THERE: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** Describes a file. Of its times, only that of the last change cannot be set by a program. */
function toDocument(path: string, real: string, { dev, ino, size, ctimeMs }: Stats): Document {
  return { path, real, stamp: `${real}:${dev}:${ino}:${size}:${ctimeMs}`, changedAt: ctimeMs };
}
