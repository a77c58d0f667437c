import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../base/errors.ts';

/** A file of instructions that is there, or one that is there and may not be used. */
export type FoundDocument = Document | { readonly path: string; readonly fault: string };

export interface Document {
  /** Where it was looked for. */
  readonly path: string;
  /** Where it lies, behind any links. */
  readonly real: string;
  /** Differs whenever the file does. */
  readonly stamp: string;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** Why a file may not be used; undefined when it may. */
export type Objection = (path: string, real: string) => string | undefined;

/** The first of these names in a folder that is a regular file, or a link to one. */
export function findDocument(
  folder: string,
  names: readonly string[],
  objection: Objection,
): FoundDocument | undefined {
  for (const name of names) {
    const path = join(folder, name);
    const found = look(path);
    if (found === undefined) continue;
    const fault = 'fault' in found ? found.fault : objection(path, found.real);
    return fault === undefined ? found : { path, fault };
  }
  return undefined;
}

function look(path: string): FoundDocument | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats?.isSymbolicLink()) return stats?.isFile() ? toDocument(path, path, stats) : undefined;
    const real = realpathSync(path);
    const behind = lstatSync(real);
    return behind.isFile() ? toDocument(path, real, behind) : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOT_THERE.includes(error.code)) return undefined;
    return { path, fault: `cannot be read: ${messageOf(error)}` };
  }
}

/** A link that leads nowhere or round in a circle, and a folder that is none. */
const NOT_THERE: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** Of the times that a file has, only that of its last change cannot be set by who likes to. */
function toDocument(path: string, real: string, { dev, ino, size, ctimeMs }: Stats): Document {
  return { path, real, stamp: `${real}:${dev}:${ino}:${size}:${ctimeMs}`, changedAt: ctimeMs };
}
