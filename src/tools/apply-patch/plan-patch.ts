import { basename, dirname, join, resolve } from 'node:path';
import type { PatchAction, PatchChange } from '../../base/action.ts';
import { type FailureKind, ToolFailure } from '../../base/errors.ts';
import type { View } from '../../base/tool.ts';
import { changeText } from '../../patch/change-text.ts';
import { type Hunk, parsePatch } from '../../patch/parse-patch.ts';
import { PatchError, unreadableForModel } from '../../patch/patch-error.ts';
import { isMissing, systemMessage } from './system-message.ts';

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
  const context: Context = { cwd, files, claimed: new Set() };
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
  throw failed(`${cwd}: ${systemMessage(error)}`);
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
  readonly claimed: Set<string>;
  readonly files: View['files'];
}

async function planChange(hunk: Hunk, context: Context): Promise<PlannedChange> {
  const target = await targetOf(hunk, context);
  switch (hunk.type) {
    case 'add':
      return planAdd(hunk, target, context);
    case 'delete': {
      const before = await readText(target, 'read', context);
      return { type: 'delete', path: target.path, shown: hunk.path, before, after: null, gone: target.path };
    }
    case 'update':
      return planUpdate(hunk, target, context);
  }
}

async function planAdd({ path: shown, text }: Extract<Hunk, { type: 'add' }>, target: TargetPath, context: Context) {
  const before = await readIfThere(target, context);
  const gone = before === null || before === text ? null : target.path;
  return { type: 'add', path: target.path, shown, before, after: text, gone } as const;
}

async function planUpdate(hunk: Extract<Hunk, { type: 'update' }>, target: TargetPath, context: Context) {
  const before = await readText(target, 'read file to update', context);
  const after = change(before, hunk, target.absolute);
  const update = { type: 'update', path: target.path, shown: hunk.to ?? hunk.path, before, after } as const;
  if (hunk.to === undefined) return { ...update, gone: null };
  const to = await locate(hunk.to, context);
  if (to.path === target.path) return { ...update, gone: null };
  claim(to, context);
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

interface TargetPath {
  /** Path as the patch names it. */
  readonly absolute: string;
  /** Path without links. */
  readonly path: string;
}

async function targetOf({ type, path }: Hunk, context: Context): Promise<TargetPath> {
  const target = await locate(path, context);
  // A link is deleted itself, not its target.
  const own = type === 'delete' ? { ...target, path: await entryAt(target.absolute, context) } : target;
  claim(own, context);
  return own;
}

async function entryAt(absolute: string, { files }: Context): Promise<string> {
  return join(await files.locate(dirname(absolute)), basename(absolute));
}

async function locate(shown: string, { cwd, files }: Context): Promise<TargetPath> {
  const absolute = resolve(cwd, shown);
  const path = await files.locate(absolute).catch((error: unknown) => {
    throw failed(`Failed to read ${absolute}: ${systemMessage(error)}`, error);
  });
  return { absolute, path };
}

function claim({ absolute, path }: TargetPath, { claimed }: Context): void {
  if (claimed.has(path)) throw failed(`invalid patch: multiple operations target ${absolute}`, undefined, 'parse');
  claimed.add(path);
}

async function readText({ absolute, path }: TargetPath, purpose: string, { files }: Context): Promise<string> {
  const bytes = await files.read(path).catch((error: unknown) => {
    throw failed(`Failed to ${purpose} ${absolute}: ${systemMessage(error)}`, error);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw failed(`Failed to ${purpose} ${absolute}: stream did not contain valid UTF-8`, error);
  }
}

/** Returns the text that would be overwritten. Null when there is no file. */
async function readIfThere(target: TargetPath, context: Context): Promise<string | null> {
  try {
    return await readText(target, 'write file', context);
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
