import type { PatchAction } from '../base/action.ts';
import type { SandboxPolicy } from '../base/policy.ts';
import { isDenied } from './is-denied.ts';
import type { PatchKnowledge } from './knowledge.ts';
import { patchFiles } from './patch-files.ts';

/** What decides about later runs, or about what starts outside the sandbox, stays as it is in every writable folder. */
const PROTECTED_NAMES = ['.git', '.agents', '.codex', '.oxbow'];

/** Which files of a patch lie where the sandbox would not let it write. The policy's folders are without links. */
export function examinePatch(action: PatchAction, sandbox: SandboxPolicy): PatchKnowledge {
  const { mode, writableRoots } = sandbox;
  const paths = patchFiles(action);
  const roots = mode === 'workspace-write' ? writableRoots : [];
  return {
    outside: mode === 'danger-full-access' ? [] : paths.filter((path) => !isWritable(path, roots)),
    unreadable: paths.filter((path) => isDenied(path, sandbox)),
  };
}

function isWritable(path: string, roots: readonly string[]): boolean {
  return isPlain(path) && roots.some((root) => isBelow(path, root)) && !roots.some((root) => isProtected(path, root));
}

/** A path with steps upwards, or none at all, may lie anywhere. */
function isPlain(path: string): boolean {
  return path.startsWith('/') && !path.split('/').some((name) => name === '..' || name === '.');
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** At any depth: a repository, or a folder that is a project of its own, may lie in another. */
function isProtected(path: string, root: string): boolean {
  if (!isBelow(path, root)) return false;
  return path
    .slice(root.length)
    .split('/')
    .some((name) => PROTECTED_NAMES.includes(name.toLowerCase()));
}
