import type { SandboxPolicy } from '../../base/policy.ts';
import type { Sources } from '../read-sources.ts';
import { absolutePath } from '../setting/absolute-path.ts';

/**
 * `sandbox_mode`, `[sandbox_workspace_write]`, `deny_read`, `unix_sockets` and the folders of --add-dir: writing is for
 * trusted projects unless the user says otherwise.
 */
export function readSandbox(sources: Sources, addDirs: readonly string[]): SandboxPolicy {
  const { settings, project } = sources;
  const table = 'sandbox_workspace_write';
  const mode =
    settings.oneOf(['read-only', 'workspace-write', 'danger-full-access'], 'sandbox_mode') ??
    (project.trusted ? 'workspace-write' : 'read-only');
  const allowedDomains = settings.strings(table, 'allowed_domains') ?? [];
  const denyRead = readDenied(sources);
  const unixSockets = settings.oneOf(['deny', 'private'], 'unix_sockets');
  return {
    mode,
    writableRoots: readRoots(sources, addDirs),
    network: settings.boolean(table, 'network_access') ?? false,
    ...(allowedDomains.length === 0 ? {} : { allowedDomains }),
    ...(denyRead.length === 0 ? {} : { denyRead }),
    ...(unixSockets === undefined ? {} : { unixSockets }),
  };
}

function readRoots({ settings, cwd, env, userFolder }: Sources, addDirs: readonly string[]): string[] {
  const table = 'sandbox_workspace_write';
  const roots = [
    cwd,
    ...addDirs,
    ...(settings.strings(table, 'writable_roots') ?? []),
    ...(settings.boolean(table, 'exclude_slash_tmp') ? [] : ['/tmp']),
    ...(settings.boolean(table, 'exclude_tmpdir_env_var') || !env.TMPDIR ? [] : [env.TMPDIR]),
  ];
  return [...new Set(roots.map((root) => absolutePath(root, cwd, userFolder)))];
}

/** A relative path starts at the folder of the file that it stands in. */
function readDenied({ settings, cwd, userFolder }: Sources): string[] {
  const folder = settings.found('deny_read')?.layer.folder ?? cwd;
  return (settings.strings('deny_read') ?? []).map((path) => absolutePath(path, folder, userFolder));
}
