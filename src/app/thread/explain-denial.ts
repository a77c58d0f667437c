import type { ApprovalPolicy, Policy } from '../../base/policy.ts';
import { sandboxHint } from '../../exec/environment/sandbox-hint.ts';
import { refusedNote } from '../../exec/network/refusals.ts';

const NO_ASKING =
  'Nobody can be asked to let it out of the sandbox: find a way that stays inside, or say in your answer what the user has to run.';

/**
 * Returns the note for the model after the sandbox probably made a command fail. The note names the hosts that are
 * refused, or says whether asking may help. `refusedHosts` returns all hosts refused so far, in order. `reported` counts
 * the hosts that the model has already read about.
 */
export function explainDenial(
  { approval, sandbox }: Policy,
  refusedHosts: () => readonly string[],
  reported: { hosts: number } = { hosts: 0 },
): (exitCode: number, output: string) => string | undefined {
  const mayAsk = !neverLeaves(approval) && (sandbox.denyRead?.length ?? 0) === 0;
  return (exitCode, output) => {
    if (exitCode === 0) return undefined;
    const refused = refusedHosts();
    const note = refusedNote(refused.filter((host, at) => at >= reported.hosts || output.includes(host)));
    reported.hosts = refused.length;
    if (note !== undefined) return note;
    const hint = sandboxHint(exitCode, output, sandbox);
    return hint && `${hint.denied} ${mayAsk ? hint.asking : NO_ASKING}`;
  };
}

function neverLeaves(approval: ApprovalPolicy): boolean {
  return approval === 'never' || (typeof approval === 'object' && !approval.sandbox);
}
