import { join } from 'node:path';
import { isRecord } from '../../base/json-schema.ts';
import type { ApprovalPolicy, Policy, SandboxPolicy } from '../../base/policy.ts';
import { absolutePath } from '../setting/absolute-path.ts';
import { FILES, FLAG, type Kind, oneOf, TEXTS } from '../setting/kinds.ts';
import { wrongValue } from '../setting/layers.ts';
import { FEWER, MORE, type ProjectLimit, strictestFirst } from '../setting/project-limit.ts';
import { readTable, setting } from '../setting/setting.ts';
import type { Sources } from '../sources.ts';

const APPROVAL_NAME = oneOf('untrusted', 'on-failure', 'on-request', 'never');

/** A name, or a table that says for each kind of question whether the user is asked. */
const APPROVAL: Kind<ApprovalPolicy> = {
  expected: APPROVAL_NAME.expected,
  read(reader, path) {
    const found = reader.found(path);
    if (found === undefined || !isRecord(found.value)) return APPROVAL_NAME.read(reader, path);
    const { granular } = found.value;
    if (!isRecord(granular)) throw wrongValue(path, 'a name, or a table { granular = { … } }', found);
    const asks = (key: string) => {
      const value = granular[key] ?? true;
      if (typeof value === 'boolean') return value;
      throw wrongValue([...path, 'granular', key], 'true or false', { value, layer: found.layer });
    };
    return { sandbox: asks('sandbox_approval'), rules: asks('rules'), mcp: asks('mcp_elicitations') };
  },
};

/** The policies that run commands without asking differ in who may leave the sandbox, so they have no order. */
const UNTRUSTED_OR_SAME: ProjectLimit = {
  stricter: '`untrusted`',
  allows: (value, below) => value === 'untrusted' || JSON.stringify(value) === JSON.stringify(below),
};

export const POLICY_SETTINGS = {
  /** When the user is asked, see [approvals](approvals.md). A table `granular` is accepted too. `exec` without `--ask` always uses `never`. */
  approval: setting('approval_policy', APPROVAL, {
    default: 'on-request',
    variable: 'OXBOW_APPROVAL_POLICY',
    projectLimit: UNTRUSTED_OR_SAME,
  }),
  /**
   * Files that commands may write.
   * @default `workspace-write` in trusted projects, otherwise `read-only`
   */
  sandboxMode: setting('sandbox_mode', oneOf('read-only', 'workspace-write', 'danger-full-access'), {
    default: ({ trusted }) => (trusted ? 'workspace-write' : 'read-only'),
    variable: 'OXBOW_SANDBOX_MODE',
    projectLimit: strictestFirst('read-only', 'workspace-write', 'danger-full-access'),
  }),
  /** Further folders that commands may write. A relative path starts at the working folder. */
  writableRoots: setting('sandbox_workspace_write.writable_roots', TEXTS, { default: [], projectLimit: FEWER }),
  /** Whether commands reach the network. */
  networkAccess: setting('sandbox_workspace_write.network_access', FLAG, {
    default: false,
    projectLimit: strictestFirst(false, true),
  }),
  /** Whether `/tmp` is not writable. */
  excludeSlashTmp: setting('sandbox_workspace_write.exclude_slash_tmp', FLAG, {
    default: false,
    projectLimit: strictestFirst(true, false),
  }),
  /** Whether `$TMPDIR` is not writable. */
  excludeTmpdir: setting('sandbox_workspace_write.exclude_tmpdir_env_var', FLAG, {
    default: false,
    projectLimit: strictestFirst(true, false),
  }),
  /** Hosts that commands reach although the network is off, such as `*.example.org` ([more](network.md)). */
  allowedDomains: setting('sandbox_workspace_write.allowed_domains', TEXTS, { default: [], projectLimit: FEWER }),
  /** Files and folders that commands may not even read. With an entry, no command leaves the sandbox. */
  denyRead: setting('deny_read', FILES, { default: [], projectLimit: MORE }),
  /** The sandbox on Linux. `auto`: the best that works. If another value is set and does not work, commands are refused. */
  sandboxBackend: setting('sandbox_backend', oneOf('auto', 'bubblewrap', 'landlock'), {
    default: 'auto',
    variable: 'OXBOW_SANDBOX_BACKEND',
  }),
  /** Unix sockets of commands. `deny`: none at all. `private`: those that commands create themselves. */
  unixSockets: setting('unix_sockets', oneOf('deny', 'private'), {
    default: 'deny',
    projectLimit: strictestFirst('deny', 'private'),
  }),
  /** Patches that lose what git cannot restore: ask the user, or allow them. */
  destructivePatches: setting('destructive_patches', oneOf('ask', 'allow'), {
    default: 'ask',
    projectLimit: strictestFirst('ask', 'allow'),
  }),
};

/** Reads the policy without its rules, which stand in files of their own. `addDirs` are further writable folders. */
export function readPolicy(sources: Sources, addDirs: readonly string[]): Policy {
  const { settings, cwd, env, home, userFolder } = sources;
  const values = readTable(POLICY_SETTINGS, settings);
  const roots = [
    cwd,
    ...addDirs,
    ...values.writableRoots,
    ...(values.excludeSlashTmp ? [] : ['/tmp']),
    ...(values.excludeTmpdir || !env.TMPDIR ? [] : [env.TMPDIR]),
  ];
  const unixSockets = POLICY_SETTINGS.unixSockets.given(settings);
  const sandbox: SandboxPolicy = {
    mode: values.sandboxMode,
    writableRoots: [...new Set(roots.map((root) => absolutePath(root, cwd, userFolder)))],
    network: values.networkAccess,
    ...(values.allowedDomains.length === 0 ? {} : { allowedDomains: values.allowedDomains }),
    ...(values.denyRead.length === 0 ? {} : { denyRead: values.denyRead }),
    ...(unixSockets === undefined ? {} : { unixSockets }),
    ...(values.sandboxBackend === 'auto' ? {} : { backend: values.sandboxBackend }),
    home,
    keyFiles: keyFiles(sources),
  };
  return { approval: values.approval, sandbox, destructivePatches: values.destructivePatches };
}

/** Files and folders of a home that hold keys. A refresh writes the server's answer next to auth.json first. */
const KEY_FILES = ['auth.json', 'auth.json.refresh', 'accounts', '.credentials.json'];

/** Returns the files with keys of Oxbow and Codex, wherever their homes are. */
function keyFiles({ home, env, cwd, userFolder }: Sources): string[] {
  const homes = [home, '~/.oxbow', '~/.codex', ...(env.CODEX_HOME ? [env.CODEX_HOME] : [])];
  const folders = [...new Set(homes.map((folder) => absolutePath(folder, cwd, userFolder)))];
  return folders.flatMap((folder) => KEY_FILES.map((name) => join(folder, name)));
}
