import type { FileChange } from '../../base/environment.ts';
import { ToolFailure } from '../../base/errors.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import type { Disk } from './disk.ts';
import type { FoundFile } from './examine-file.ts';
import { type FileTransaction, startTransaction } from './file-transaction.ts';
import { type PreparedStep, prepareStep } from './prepare-step.ts';
import { StepFailure } from './step-failure.ts';
import { type FileStep, stepsOf } from './steps.ts';
import { reasonOf } from './system-error.ts';
import { guardWrites } from './write-guard.ts';

export interface ChangeOptions {
  readonly policy: SandboxPolicy;
  readonly sandboxed: boolean;
  readonly disk: Disk;
}

/**
 * Changes all files or none. Writes every new text to a temporary file first, then renames all of them, and keeps the
 * old files until the last rename. Runs without waiting, so that no signal finds it half done. Throws `ToolFailure`.
 */
export function changeFiles(changes: readonly FileChange[], { policy, sandboxed, disk }: ChangeOptions): void {
  const steps = stepsOf(changes);
  guardWrites(
    steps.map(({ path }) => path),
    policy,
    sandboxed,
  );
  const transaction = startTransaction(disk, sandboxed);
  try {
    for (const { path, commit } of inPlaceLast(prepare(steps, transaction))) attempt(path, commit);
  } catch (error) {
    throw failureOf(error, transaction.undo());
  }
  const faults = transaction.finish();
  if (faults.length > 0) throw new ToolFailure('execution', `All files were changed. ${faults.join(' ')}`);
}

function prepare(steps: readonly FileStep[], transaction: FileTransaction): PreparedStep[] {
  const found = new Map<string, FoundFile>();
  return steps.map((step) => attempt(step.path, () => prepareStep(step, found, transaction)));
}

/** Moves the steps that write in place to the end, since their undo is the least certain. */
function inPlaceLast(steps: readonly PreparedStep[]): PreparedStep[] {
  return [...steps.filter(({ last }) => !last), ...steps.filter(({ last }) => last)];
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof StepFailure) throw error;
    throw new StepFailure('execution', `${path} could not be changed: ${reasonOf(error)}.`, { cause: error });
  }
}

/** Returns the failure for the model. `faults` are sentences about what could not be undone. */
function failureOf(error: unknown, faults: readonly string[]): unknown {
  if (!(error instanceof StepFailure)) return error;
  const { kind, message, advice } = error;
  const isUndone = faults.length === 0;
  const left = isUndone ? ['Nothing was changed.'] : ['Not everything could be undone.', ...faults];
  const text = [message, ...left, ...(advice === '' ? [] : [advice])].join(' ');
  return new ToolFailure(kind, text, { cause: error, ...(isUndone && { effect: 'none' }) });
}
