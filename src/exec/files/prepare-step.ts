import { basename, dirname } from 'node:path';
import { examineFile, outdated, requireSame, type Seen } from './examine-file.ts';
import { stageText } from './stage-text.ts';
import type { FileStep, RemoveStep, WriteStep } from './steps.ts';
import { putNew, replace, setAside } from './take-place.ts';
import type { Work } from './work.ts';
import { openInPlace, writeInPlace } from './write-in-place.ts';

/** A step that has been held against the disk, its text written beside where it will be. */
export interface PreparedStep {
  readonly path: string;
  /** What cannot be done by renaming is done when the rest has been. */
  readonly last: boolean;
  commit(): void;
}

/** Gets a step ready without changing anything that anybody sees. `found`: the files of the steps before it. */
export function prepareStep(step: FileStep, found: Map<string, Seen>, work: Work): PreparedStep {
  const seen = examineFile(step, work);
  if (seen) found.set(step.path, seen);
  if (step.type === 'write') return prepareWrite(step, seen, found, work);
  return { path: step.path, last: false, commit: () => removeFile(step, seen, work) };
}

function removeFile({ path }: RemoveStep, seen: Seen | null, work: Work): void {
  const folder = work.folders.get(dirname(path));
  if (folder === undefined || seen === null) throw outdated(`${path} is no longer there.`);
  folder.check();
  requireSame(path, seen, work.disk.lstatSync(setAside(path, folder, work)));
}

function prepareWrite(
  { path, text, from }: WriteStep,
  seen: Seen | null,
  found: ReadonlyMap<string, Seen>,
  work: Work,
): PreparedStep {
  const source = from === undefined ? null : (found.get(from) ?? null);
  const old = isRespelled(source, seen) ? null : seen;
  const like = from === undefined ? old : source;
  const bytes = encode(text, like?.startsWithBom ?? false);
  const staged = stageText(path, { bytes, like, old }, work);
  if (staged.type === 'opened') {
    return { path, last: true, commit: () => writeInPlace(staged.file, bytes, work) };
  }
  return {
    path,
    last: false,
    commit() {
      const folder = work.makeFolder(dirname(path));
      folder.check();
      if (old === null) putNew(path, staged.entry, folder, work);
      else if (!replace({ path, old, staged: staged.entry, folder }, work)) {
        writeInPlace(openInPlace(path, folder.entry(basename(path)), old, work), bytes, work);
      }
    },
  };
}

/** Whether a file moves to another spelling of its own name, where the case of letters does not count. */
function isRespelled(source: Seen | null, seen: Seen | null): boolean {
  if (source === null || seen === null) return false;
  return source.stat.ino === seen.stat.ino && source.stat.dev === seen.stat.dev && source.stat.nlink === 1;
}

function encode(text: string, startsWithBom: boolean): Buffer {
  return Buffer.from(startsWithBom && !text.startsWith('\uFEFF') ? `\uFEFF${text}` : text);
}
