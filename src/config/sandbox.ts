import type { SandboxPolicy } from '../base/policy.ts';
import { absolutePath } from './absolute-path.ts';
import type { Sources } from './sources.ts';

/**
 * `sandbox_mode`, `[sandbox_workspace_write]` and the folders of --add-dir: writing is for trusted projects unless the
 * user says otherwise.
 */
export function readSandbox(
  { settings, cwd, project, env, userFolder }: Sources,
  addDirs: readonly string[],
): SandboxPolicy {
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
    writableRoots: [...new Set(roots.map((root) => absolutePath(root, cwd, userFolder)))],
    network: settings.boolean(table, 'network_access') ?? false,
  };
}
