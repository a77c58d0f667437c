import type { PatchAction } from '../base/action.ts';
import { isDenied, isInHome, isInside, isProtected } from '../base/guarded-paths.ts';
import type { SandboxPolicy } from '../base/policy.ts';
import type { PatchKnowledge } from './knowledge.ts';
import { patchFiles } from './patch-files.ts';

/**
 * Finds the files of a patch that the sandbox would not let it write. The folders of the policy must be free of links.
 */
export function examinePatch(action: PatchAction, sandbox: SandboxPolicy): PatchKnowledge {
  const { mode, writableRoots } = sandbox;
  const paths = patchFiles(action);
  const roots = mode === 'workspace-write' ? writableRoots : [];
  return {
    outside:
      mode === 'danger-full-access' ? [] : paths.filter((path) => !isWritable(path, roots) || isInHome(path, sandbox)),
    unreadable: paths.filter((path) => isDenied(path, sandbox)),
  };
}

function isWritable(path: string, roots: readonly string[]): boolean {
  return isPlain(path) && roots.some((root) => isInside(path, root)) && !roots.some((root) => isProtected(path, root));
}

/** Reports whether a path is absolute and has no steps upwards. Any other path may lead anywhere. */
function isPlain(path: string): boolean {
  return path.startsWith('/') && !path.split('/').some((name) => name === '..' || name === '.');
}
