import type { SandboxPolicy } from '../../base/policy.ts';
import type { Config } from '../../config/load-config.ts';
import { createConfinement } from '../../exec/environment/confinement.ts';
import type { GitCaller } from '../../exec/git/git.ts';
import { findSandbox } from '../../exec/sandbox/find-sandbox.ts';

const READ_ONLY: SandboxPolicy = { mode: 'read-only', writableRoots: [], network: false };

/**
 * Returns how git is run for a user who did not ask for it, in a repository that may be hostile: in a sandbox that lets
 * it read only, if this machine has one.
 */
export async function gitCaller(config: Pick<Config, 'cwd' | 'env' | 'policy' | 'project'>): Promise<GitCaller> {
  const { cwd, env, policy, project } = config;
  const writable = [cwd, ...policy.sandbox.writableRoots];
  const caller = { env, untrustedFolders: project.root === null ? writable : [...writable, project.root] };
  // The same search as that of commands, which then need not search again.
  const search = { path: env.PATH ?? '', untrustedFolders: writable, signal: new AbortController().signal };
  const { backend } = policy.sandbox;
  if ((await findSandbox({ ...search, backend })).type === 'none') return caller;
  const confined = backend === undefined ? READ_ONLY : { ...READ_ONLY, backend };
  const { launch } = createConfinement({ ...search, policy: confined, onNote() {} });
  return { ...caller, confine: (argv, folder) => launch(argv, folder) };
}
