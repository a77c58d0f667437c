import { ToolFailure } from '../../base/errors.ts';
import type { SandboxMode } from '../../base/policy.ts';
import type { FoundSandbox } from './find-sandbox.ts';

type NoSandbox = FoundSandbox & { readonly type: 'none' };

/** Returns one line for the user: the sandbox with its limits, or why there is none. */
export function describeSandbox(found: FoundSandbox): string {
  switch (found.type) {
    case 'bubblewrap':
      return `Sandbox: bubblewrap${found.landlock ? ' and Landlock' : ''}${variantOf(found)}.`;
    case 'landlock':
      return (
        `Sandbox: Landlock (${whyLandlock(found.why)}). File writes and network are blocked, but .git is ` +
        'guarded rather than read-only, file metadata outside the workspace is not protected, and local servers cannot be ' +
        'started.'
      );
    case 'seatbelt':
      return 'Sandbox: Seatbelt. A process that leaves the process group of its command is not ended with the command.';
    case 'none':
      return `No OS sandbox available: ${found.why}. To fix: ${hintFor(found)}.`;
  }
}

/** Returns the failure of a command that may not run, because no sandbox would keep it inside the policy. */
export function sandboxMissing(found: NoSandbox, mode: SandboxMode): ToolFailure {
  return new ToolFailure(
    'permission',
    `No OS sandbox available: ${found.why}. Commands will not run in ${mode} mode. ` +
      `To fix: ${hintFor(found)}. To run without a sandbox: sandbox_mode = "danger-full-access" in config.toml.`,
  );
}

function whyLandlock(why: string | undefined): string {
  return why === undefined ? 'chosen by sandbox_backend' : `bubblewrap cannot be used: ${why}`;
}

function variantOf(found: FoundSandbox & { readonly type: 'bubblewrap' }): string {
  const lacks = [
    ...(found.mountProc ? [] : ['without a /proc of its own']),
    ...(found.userNamespace ? [] : ['without a user namespace']),
  ];
  return lacks.length === 0 ? '' : ` (${lacks.join(', ')})`;
}

const APPARMOR_HINT =
  'add an AppArmor profile that grants userns to /usr/bin/bwrap (kernel.apparmor_restrict_unprivileged_userns is 1)';

const HINTS: Readonly<Record<Exclude<NoSandbox['lacks'], 'rights'>, string>> = {
  bubblewrap: 'apt/dnf/pacman install bubblewrap',
  system: 'approve each command, or run Oxbow on Linux, in WSL 2 for instance',
  choice: 'set sandbox_backend to "auto"',
  processor: 'run it on an x64 or arm64 processor',
};

/** Messages of bubblewrap on machines that do not let it work, each with its hint. */
const SAID: readonly (readonly [said: string, hint: string])[] = [
  ['setting up uid map: Permission denied', APPARMOR_HINT],
  ['Failed RTM_NEWADDR', APPARMOR_HINT],
  [
    'No permissions to create new namespace',
    'let the container create namespaces (its seccomp profile forbids it), or set kernel.unprivileged_userns_clone to 1',
  ],
  ['namespaces exceeded', 'raise user.max_user_namespaces'],
  ['Creating new namespace failed', 'give the container CAP_SYS_ADMIN or let it create user namespaces'],
  ['Failed to make / slave', 'let the container mount (it, or AppArmor, forbids it)'],
  ['Unknown option', 'install a newer bubblewrap (0.5 or later)'],
];

function hintFor({ lacks, bubblewrap }: NoSandbox): string {
  if (lacks !== 'rights') return HINTS[lacks];
  return (
    SAID.find(([said]) => bubblewrap.includes(said))?.[1] ??
    'run bwrap --ro-bind / / --unshare-user true to see what it lacks'
  );
}
