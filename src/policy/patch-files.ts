import type { PatchAction } from '../base/action.ts';

/** Returns every file that a patch touches, once. */
export function patchFiles({ changes }: PatchAction): string[] {
  return [...new Set(changes.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to])))];
}
