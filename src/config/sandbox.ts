import { resolve } from 'node:path';
import type { SandboxPolicy } from '../base/policy.ts';
import type { Env } from './home.ts';
import type { Project } from './project.ts';
import type { Settings } from './read-settings.ts';

export interface SandboxInputs {
  readonly cwd: string;
  readonly project: Project;
  readonly env: Env;
  /** Folders given with --add-dir. */
  readonly addDirs: readonly string[];
}

/** `sandbox_mode` and `[sandbox_workspace_write]`: writing is for trusted projects unless the user says otherwise. */
export function readSandbox(settings: Settings, { cwd, project, env, addDirs }: SandboxInputs): SandboxPolicy {
  const mode =
    settings.oneOf(['read-only', 'workspace-write', 'danger-full-access'], 'sandbox_mode') ??
    (project.trusted ? 'workspace-write' : 'read-only');
  const table = 'sandbox_workspace_write';
  const roots = [
    cwd,
    ...addDirs,
    ...(settings.strings(table, 'writable_roots') ?? []),
    ...(settings.boolean(table, 'exclude_slash_tmp') ? [] : ['/tmp']),
    ...(settings.boolean(table, 'exclude_tmpdir_env_var') || !env.TMPDIR ? [] : [env.TMPDIR]),
  ];
  return {
    mode,
    writableRoots: [...new Set(roots.map((root) => resolve(cwd, root)))],
    network: settings.boolean(table, 'network_access') ?? false,
  };
}
