import type { Files } from '../../base/environment.ts';
import { isDenied } from '../../base/guarded-paths.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import type { Variables } from '../process/command-environment.ts';
import { changeFiles } from './change-files.ts';
import { type Disk, disk as realDisk } from './disk.ts';
import { isInGit } from './is-in-git.ts';
import { locate } from './locate.ts';
import { readFile } from './read-file.ts';
import { systemError } from './system-error.ts';

export interface FilesOptions {
  /** Variables of the user, for git. */
  readonly env: Variables;
  /** Throws `ToolFailure` where commands have replaced the folders of the policy. */
  examine?(): void;
  /** Disk for changes. For tests. */
  readonly disk?: Disk;
}

/** Returns the files of this machine under a policy whose folders contain no links. */
export function createFiles(policy: SandboxPolicy, { env, examine, disk = realDisk }: FilesOptions): Files {
  const check = (path: string) => {
    if (isDenied(path, policy)) throw systemError('EACCES', 'permission denied by deny_read', path);
  };
  const read = async (path: string) => {
    const located = locate(path);
    check(located);
    return readFile(located, check);
  };
  return {
    locate: async (path) => locate(path),
    read,
    async isInGit(path) {
      try {
        const located = locate(path);
        return await isInGit(located, await read(located), { env, untrustedFolders: policy.writableRoots });
      } catch {
        return false;
      }
    },
    async change(changes, { sandboxed }) {
      if (sandboxed && policy.mode === 'workspace-write') examine?.();
      changeFiles(changes, { policy, sandboxed, disk });
    },
  };
}
