import { resolve } from 'node:path';
import { ToolFailure } from '../../base/errors.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import { findWritablePaths, isInside, PROTECTED_NAMES } from '../sandbox/writable-paths.ts';
import { isDenied } from './is-denied.ts';

/** Throws `ToolFailure` for the first path that may not be written. The policy's folders are without links. */
export function guardWrites(paths: readonly string[], policy: SandboxPolicy, sandboxed: boolean): void {
  const confined = sandboxed && policy.mode !== 'danger-full-access';
  const roots = confined && policy.mode === 'workspace-write' ? policy.writableRoots : [];
  const { readOnly } = findWritablePaths(roots);
  for (const path of paths) {
    if (path !== resolve(path)) throw refusal(path, 'it is not an absolute path without detours');
    if (isDenied(path, policy)) throw refusal(path, 'it may not be read (deny_read)');
    if (!confined) continue;
    if (policy.mode === 'read-only') throw refusal(path, 'the sandbox is read-only');
    if (!roots.some((root) => isInside(path, root))) throw refusal(path, 'the sandbox may not write there');
    if (isProtected(path, roots) || readOnly.some((folder) => path === folder || isInside(path, folder)))
      throw refusal(path, 'what lies there decides about what runs outside the sandbox');
  }
}

/** At any depth: a repository, or a folder that is a project of its own, may lie in another. */
function isProtected(path: string, roots: readonly string[]): boolean {
  return roots
    .filter((root) => isInside(path, root))
    .some((root) =>
      path
        .slice(root.length)
        .split('/')
        .some((name) => PROTECTED_NAMES.includes(name.toLowerCase())),
    );
}

function refusal(path: string, why: string): ToolFailure {
  return new ToolFailure('permission', `${path} was not written: ${why}. Nothing was changed.`);
}
