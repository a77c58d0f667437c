import type { FileChange } from '../../base/environment.ts';
import { ToolFailure } from '../../base/errors.ts';

/** A step changes one path. */
export type FileStep = RemoveStep | WriteStep;

export interface RemoveStep {
  readonly type: 'remove';
  readonly path: string;
  /** Text that must be there. Null: no entry may be there; undefined: anything may. */
  readonly expected: string | null | undefined;
}

export interface WriteStep {
  readonly type: 'write';
  readonly path: string;
  readonly expected: string | null | undefined;
  readonly text: string;
  /** Former path of a file that moves. The file keeps everything but its text. */
  readonly from?: string;
}

/**
 * Returns the steps of some changes. A file that moves is removed before it is written, since its new path may lie
 * below the old one.
 */
export function stepsOf(changes: readonly FileChange[]): readonly FileStep[] {
  const steps = changes.flatMap(stepsOfChange);
  const seen = new Set<string>();
  for (const { path } of steps) {
    if (seen.has(path))
      throw new ToolFailure('parse', `invalid patch: multiple operations target ${path}`, { effect: 'none' });
    seen.add(path);
  }
  return steps;
}

function stepsOfChange({ path, to, before, after }: FileChange): FileStep[] {
  if (after === null) return [{ type: 'remove', path, expected: before }];
  if (to === undefined || to === path) return [{ type: 'write', path, expected: before, text: after }];
  return [
    { type: 'remove', path, expected: before },
    { type: 'write', path: to, expected: undefined, text: after, from: path },
  ];
}
