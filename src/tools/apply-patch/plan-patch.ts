import { basename, dirname, join, resolve } from 'node:path';
import type { PatchAction, PatchChange } from '../../base/action.ts';
import { type FailureKind, ToolFailure } from '../../base/errors.ts';
import type { View } from '../../base/tool.ts';
import { changeText } from '../../patch/change-text.ts';
import { type Hunk, parsePatch } from '../../patch/parse-patch.ts';
import { PatchError, unreadableForModel } from '../../patch/patch-error.ts';
import { isMissing, systemWords } from './system-words.ts';

export interface PlanPatchOptions {
  /** Absolute folder that relative paths start from. */
  readonly cwd: string;
  readonly escalate: boolean;
  readonly justification?: string;
}

/**
 * Plans the changes of a patch, all of which are tried on the files as they are. Throws `ToolFailure` when a change
 * does not apply, so that a plan can be written as a whole.
 */
export async function planPatch(patch: string, options: PlanPatchOptions, view: View): Promise<PatchAction> {
  const { escalate, justification } = options;
  const { files } = view;
  const cwd = options.cwd === view.cwd ? view.cwd : await findFolder(options.cwd, view);
  const planned: PlannedChange[] = [];
  const context: Context = { cwd, files, taken: new Set() };
  for (const hunk of readPatch(patch)) planned.push(await planChange(hunk, context));
  const lost = await findLost(
    planned.flatMap(({ gone }) => gone ?? []),
    files,
  );
  const changes = planned.map(({ gone, ...change }) => ({ ...change, destroys: gone !== null && lost.has(gone) }));
  return { kind: 'patch', changes, escalate, ...(justification === undefined ? {} : { justification }) };
}

/** A change, and the file whose text is lost by it. Null when no text is lost. */
type PlannedChange = Omit<PatchChange, 'destroys'> & { readonly gone: string | null };

/**
 * Returns a folder without links. Throws when it does not exist: a patch creates missing folders, and would not notice.
 */
async function findFolder(cwd: string, { files }: View): Promise<string> {
  const error: unknown = await files.read(cwd).then(
    () => new Error('Not a directory (os error 20)'),
    (reason) => reason,
  );
  if (error instanceof Error && 'code' in error && error.code === 'EISDIR') return files.locate(cwd);
  throw failed(`${cwd}: ${systemWords(error)}`);
}

function readPatch(patch: string): readonly Hunk[] {
  try {
    return parsePatch(patch);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw failed(unreadableForModel(error), error, 'parse');
  }
}

interface Context {
  readonly cwd: string;
  /** Paths that earlier parts of the patch write to. */
  readonly taken: Set<string>;
  readonly files: View['files'];
}

async function planChange(hunk: Hunk, context: Context): Promise<PlannedChange> {
  const place = await claim(hunk, context);
  switch (hunk.type) {
    case 'add':
      return planAdd(hunk, place, context);
    case 'delete': {
      const before = await readText(place, 'read', context);
      return { type: 'delete', path: place.path, shown: hunk.path, before, after: null, gone: place.path };
    }
    case 'update':
      return planUpdate(hunk, place, context);
  }
}

async function planAdd({ path: shown, text }: Extract<Hunk, { type: 'add' }>, place: Place, context: Context) {
  const before = await readIfThere(place, context);
  const gone = before === null || before === text ? null : place.path;
  return { type: 'add', path: place.path, shown, before, after: text, gone } as const;
}

async function planUpdate(hunk: Extract<Hunk, { type: 'update' }>, place: Place, context: Context) {
  const before = await readText(place, 'read file to update', context);
  const after = change(before, hunk, place.absolute);
  const update = { type: 'update', path: place.path, shown: hunk.to ?? hunk.path, before, after } as const;
  if (hunk.to === undefined) return { ...update, gone: null };
  const to = await locate(hunk.to, context);
  if (to.path === place.path) return { ...update, gone: null };
  take(to, context);
  const overwritten = await readIfThere(to, context);
  const gone = overwritten === null || overwritten === after ? null : to.path;
  return { ...update, to: to.path, gone };
}

function change(before: string, { chunks }: Extract<Hunk, { type: 'update' }>, absolute: string): string {
  try {
    return changeText(before, chunks, absolute);
  } catch (error) {
    if (error instanceof PatchError) throw failed(error.message, error);
    throw error;
  }
}

interface Place {
  /** Path as the patch names it. */
  readonly absolute: string;
  /** Path without links. */
  readonly path: string;
}

async function claim({ type, path }: Hunk, context: Context): Promise<Place> {
  const place = await locate(path, context);
  // A link is deleted itself, not its target.
  const own = type === 'delete' ? { ...place, path: await entryAt(place.absolute, context) } : place;
  take(own, context);
  return own;
}

async function entryAt(absolute: string, { files }: Context): Promise<string> {
  return join(await files.locate(dirname(absolute)), basename(absolute));
}

async function locate(shown: string, { cwd, files }: Context): Promise<Place> {
  const absolute = resolve(cwd, shown);
  const path = await files.locate(absolute).catch((error: unknown) => {
    throw failed(`Failed to read ${absolute}: ${systemWords(error)}`, error);
  });
  return { absolute, path };
}

function take({ absolute, path }: Place, { taken }: Context): void {
  if (taken.has(path)) throw failed(`invalid patch: multiple operations target ${absolute}`, undefined, 'parse');
  taken.add(path);
}

async function readText({ absolute, path }: Place, purpose: string, { files }: Context): Promise<string> {
  const bytes = await files.read(path).catch((error: unknown) => {
    throw failed(`Failed to ${purpose} ${absolute}: ${systemWords(error)}`, error);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw failed(`Failed to ${purpose} ${absolute}: stream did not contain valid UTF-8`, error);
  }
}

/** Returns the text that would be overwritten. Null when there is no file. */
async function readIfThere(place: Place, context: Context): Promise<string | null> {
  try {
    return await readText(place, 'write file', context);
  } catch (error) {
    if (error instanceof ToolFailure && isMissing(error.cause)) return null;
    throw error;
  }
}

/** Most checks of git at the same time. Each needs a process. */
const PARALLEL_CHECKS = 8;

/** Returns the files that git does not have in their current state. */
async function findLost(paths: readonly string[], files: View['files']): Promise<ReadonlySet<string>> {
  const waiting = paths.values();
  const lost = new Set<string>();
  const check = async () => {
    for (const path of waiting) if (!(await files.isInGit(path))) lost.add(path);
  };
  await Promise.all(Array.from({ length: PARALLEL_CHECKS }, check));
  return lost;
}

function failed(reason: string, cause?: unknown, kind: FailureKind = 'execution'): ToolFailure {
  return new ToolFailure(kind, `apply_patch verification failed: ${reason}`, { cause });
}
