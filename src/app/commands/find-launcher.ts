import { findPrograms } from '../../exec/sandbox/find-programs.ts';

/** A program that may confine commands. Only a command that runs shows whether the machine lets the program work. */
export interface SandboxLauncher {
  readonly type: 'bubblewrap' | 'landlock';
  readonly program: string;
}

/** Returns the launcher that commands would be started with; undefined where there is none. */
export function findLauncher(path = ''): SandboxLauncher | undefined {
  if (process.platform !== 'linux') return undefined;
  const search = { path, untrustedFolders: [] };
  const [bubblewrap] = findPrograms('bwrap', search);
  if (bubblewrap !== undefined) return { type: 'bubblewrap', program: bubblewrap };
  const [perl] = findPrograms('perl', search);
  return perl === undefined ? undefined : { type: 'landlock', program: perl };
}
