import { PROTECTED_NAMES } from '../../base/guarded-paths.ts';
import type { Policy, SandboxPolicy } from '../../base/policy.ts';
import { type ApprovalTextOptions, approvalText } from './approval-text.ts';

/** Returns the text about what the model may do and when the user is asked. */
export function permissionsSection(policy: Policy, asking: ApprovalTextOptions): string {
  const lines = [...sandboxText(policy.sandbox), ...approvalText(policy, asking)];
  return `<permissions instructions>\n${lines.join('\n')}\n</permissions instructions>`;
}

/** Returns sentences about what commands may touch. */
function sandboxText(sandbox: SandboxPolicy): string[] {
  const { mode, denyRead = [] } = sandbox;
  if (mode === 'danger-full-access') {
    return [
      'There is no sandbox (`danger-full-access`): commands and patches can do whatever the user can, and reach the network. Nothing but your care protects what is outside of the working folder.',
    ];
  }
  return [
    mode === 'read-only' ? READ_ONLY : workspaceText(sandbox.writableRoots),
    networkText(sandbox),
    ...(denyRead.length === 0 ? [] : [`These may not even be read: ${list(denyRead)}.`]),
    'When the sandbox has denied something, the command prints something like "Permission denied" or "Read-only file system". That is no fault of the command.',
  ];
}

const READ_ONLY =
  'Commands run in a sandbox (`read-only`): they can read files and change none. Patches cannot either.';

function workspaceText(roots: readonly string[]): string {
  return `Commands run in a sandbox (\`workspace-write\`): they can read files, and change them only below ${list(roots)}. In there ${list(PROTECTED_NAMES)} can only be read, so that \`git commit\`, for one, does not work. Patches are bound to the same folders.`;
}

function networkText({ network, allowedDomains = [] }: SandboxPolicy): string {
  if (network) return 'Commands can reach the network.';
  const allowed = allowedDomains.filter((entry) => !entry.startsWith('!'));
  const servers = 'nothing but servers that commands start themselves';
  if (allowed.length === 0) return `Commands have no network: they can reach ${servers}.`;
  const except = allowedDomains.filter((entry) => entry.startsWith('!')).map((entry) => entry.slice(1));
  const hosts = `${list(allowed)}${except.length === 0 ? '' : `, but not ${list(except)}`}`;
  return `Commands can reach only these hosts: ${hosts}. They do so through an HTTP proxy that their variables name, and otherwise ${servers}.`;
}

function list(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}
