import type { RefusalCause, SandboxPolicy } from '../../base/policy.ts';

/** Texts that programs print when the file system or the kernel denies something. */
const DENIALS = [
  'operation not permitted',
  'permission denied',
  'read-only file system',
  'seccomp',
  'sandbox',
  'landlock',
  'failed to write file',
];

/** Texts that programs print when there is no network. */
const NETWORK_FAILURES = [
  'network is unreachable',
  'could not resolve host',
  'temporary failure in name resolution',
  'name or service not known',
  'enetunreach',
  'eai_again',
  'enotfound',
];

/** Exit code of a process that the filter killed for a system call with numbers of another architecture. */
const KILLED_BY_FILTER = 128 + 31;

const HOW_TO_ASK =
  'If the task needs it, repeat the call with sandbox_permissions set to "require_escalated" and a justification; otherwise find a way that stays inside.';

/** A hint for the model, in two sentences. */
export interface SandboxHint {
  readonly cause: RefusalCause;
  /** A sentence about the access that the sandbox may have denied. */
  readonly denied: string;
  /** A sentence about how to ask for more access, for threads that may ask. */
  readonly asking: string;
}

/**
 * Returns a hint for a sandboxed command that the sandbox probably made fail; undefined where the sandbox is probably
 * not the reason. This is a guess from the output: the kernel does not report which rule denied a call.
 */
export function sandboxHint(exitCode: number, output: string, policy?: SandboxPolicy): SandboxHint | undefined {
  const denial = deniedBy(exitCode, output, policy);
  return denial && { ...denial, asking: HOW_TO_ASK };
}

function deniedBy(
  exitCode: number,
  output: string,
  policy: SandboxPolicy | undefined,
): Omit<SandboxHint, 'asking'> | undefined {
  if (exitCode === 0 || policy?.mode === 'danger-full-access') return undefined;
  const text = output.toLowerCase();
  const says = (words: readonly string[]) => words.some((word) => text.includes(word));
  if (says(DENIALS) || exitCode === KILLED_BY_FILTER)
    return { cause: 'sandbox', denied: `The sandbox may have denied this: ${limits(policy)}` };
  if (policy?.network === true || !says(NETWORK_FAILURES)) return undefined;
  const denied = `The sandbox gives commands no network${domains(policy)}, which may be why this failed.`;
  return { cause: 'network', denied };
}

function limits(policy: SandboxPolicy | undefined): string {
  if (policy === undefined)
    return 'commands can write only where the policy says, and have no other rights on the machine.';
  if (policy.mode === 'read-only') return 'commands can write nowhere.';
  return `commands can write only to ${policy.writableRoots.join(', ') || 'no folder'}, and not to .git, .agents, .codex and .oxbow in there.`;
}

function domains(policy: SandboxPolicy | undefined): string {
  const allowed = policy?.allowedDomains ?? [];
  return allowed.length === 0 ? '' : ` but to ${allowed.join(', ')}`;
}
