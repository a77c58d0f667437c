import type { FileChange } from '../../base/environment.ts';
import { ToolFailure } from '../../base/errors.ts';

/** What happens to one path. */
export type FileStep = RemoveStep | WriteStep;

export interface RemoveStep {
  readonly type: 'remove';
  readonly path: string;
  /** The text that must be there; null: nothing may be there; undefined: anything may. */
  readonly expected: string | null | undefined;
}

export interface WriteStep {
  readonly type: 'write';
  readonly path: string;
  readonly expected: string | null | undefined;
  readonly text: string;
  /** Where the file was before, when it moves: it stays what it was in all but its text. */
  readonly from?: string;
}

/** The steps of some changes. A file that moves leaves before it arrives, which may be below its own name. */
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
