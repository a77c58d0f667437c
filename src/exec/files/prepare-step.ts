import { basename, dirname } from 'node:path';
import { examineFile, type FoundFile, outdated, requireSame } from './examine-file.ts';
import type { FileTransaction } from './file-transaction.ts';
import { putNew, replace, setAside } from './replace-file.ts';
import { stageText } from './stage-text.ts';
import type { FileStep, RemoveStep, WriteStep } from './steps.ts';
import { openInPlace, writeInPlace } from './write-in-place.ts';

/** A step that fits the disk, with its text in a temporary file. */
export interface PreparedStep {
  readonly path: string;
  /** Whether the step comes after all others, since it is not a rename. */
  readonly last: boolean;
  commit(): void;
}

/** Prepares a step without a visible change. `found` has the files of the steps before it. */
export function prepareStep(step: FileStep, found: Map<string, FoundFile>, transaction: FileTransaction): PreparedStep {
  const seen = examineFile(step, transaction);
  if (seen) found.set(step.path, seen);
  if (step.type === 'write') return prepareWrite(step, seen, found, transaction);
  return { path: step.path, last: false, commit: () => removeFile(step, seen, transaction) };
}

function removeFile({ path }: RemoveStep, seen: FoundFile | null, transaction: FileTransaction): void {
  const folder = transaction.folders.get(dirname(path));
  if (folder === undefined || seen === null) throw outdated(`${path} is no longer there.`);
  folder.check();
  requireSame(path, seen, transaction.disk.lstatSync(setAside(path, folder, transaction)));
}

function prepareWrite(
  { path, text, from }: WriteStep,
  seen: FoundFile | null,
  found: ReadonlyMap<string, FoundFile>,
  transaction: FileTransaction,
): PreparedStep {
  const source = from === undefined ? null : (found.get(from) ?? null);
  const old = isRespelled(source, seen) ? null : seen;
  const like = from === undefined ? old : source;
  const bytes = encode(text, like?.startsWithBom ?? false);
  const staged = stageText(path, { bytes, like, old }, transaction);
  if (staged.type === 'opened') {
    return { path, last: true, commit: () => writeInPlace(staged.file, bytes, transaction) };
  }
  return {
    path,
    last: false,
    commit() {
      const folder = transaction.makeFolder(dirname(path));
      folder.check();
      if (old === null) putNew(path, staged.entry, folder, transaction);
      else if (!replace({ path, old, staged: staged.entry, folder }, transaction)) {
        writeInPlace(openInPlace(path, folder.entry(basename(path)), old, transaction), bytes, transaction);
      }
    },
  };
}

/** Reports whether a file moves to another spelling of its own name on a disk that ignores case. */
function isRespelled(source: FoundFile | null, seen: FoundFile | null): boolean {
  if (source === null || seen === null) return false;
  return source.stat.ino === seen.stat.ino && source.stat.dev === seen.stat.dev && source.stat.nlink === 1;
}

function encode(text: string, startsWithBom: boolean): Buffer {
  return Buffer.from(startsWithBom && !text.startsWith('\uFEFF') ? `\uFEFF${text}` : text);
}
