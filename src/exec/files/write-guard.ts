import { resolve } from 'node:path';
import { ToolFailure } from '../../base/errors.ts';
import { isDenied, isInHome, isInside, isProtected } from '../../base/guarded-paths.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import { protectedPaths } from '../sandbox/writable-paths.ts';

/** Throws `ToolFailure` for the first path that may not be written. The folders of the policy contain no links. */
export function guardWrites(paths: readonly string[], policy: SandboxPolicy, sandboxed: boolean): void {
  const confined = sandboxed && policy.mode !== 'danger-full-access';
  const roots = confined && policy.mode === 'workspace-write' ? policy.writableRoots : [];
  const readOnly = protectedPaths(roots);
  for (const path of paths) {
    if (path !== resolve(path)) throw refusal(path, 'it is not an absolute path without detours');
    if (isDenied(path, policy)) throw refusal(path, 'it may not be read (deny_read)');
    if (!confined) continue;
    if (policy.mode === 'read-only') throw refusal(path, 'the sandbox is read-only');
    if (!roots.some((root) => isInside(path, root))) throw refusal(path, 'the sandbox may not write there');
    if (isInHome(path, policy)) throw refusal(path, "it lies in Oxbow's home");
    if (
      roots.some((root) => isProtected(path, root)) ||
      readOnly.some((folder) => path === folder || isInside(path, folder))
    )
      throw refusal(path, 'what lies there decides about what runs outside the sandbox');
  }
}

function refusal(path: string, why: string): ToolFailure {
  return new ToolFailure('permission', `${path} was not written: ${why}. Nothing was changed.`, { effect: 'none' });
}
