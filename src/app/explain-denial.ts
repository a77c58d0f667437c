import type { ApprovalPolicy, Policy } from '../base/policy.ts';
import { refusedNote } from '../exec/network/refusals.ts';
import { sandboxHint } from '../exec/sandbox-hint.ts';

/** Where the hint begins to speak of asking. */
const ASKING = ' If the task needs it, ';

const NO_ASKING =
  ' Nobody can be asked to let it out of the sandbox: find a way that stays inside, or say in your answer what the user has to run.';

/**
 * What the model is told when the sandbox probably made a command fail: which hosts it may not reach, or to ask, unless
 * asking is in vain. `refusedHosts` are all hosts that were ever refused, in their order; `told` counts those that the
 * model has read about.
 */
export function explainDenial(
  { approval, sandbox }: Policy,
  refusedHosts: () => readonly string[],
  told: { hosts: number } = { hosts: 0 },
): (exitCode: number, output: string) => string | undefined {
  const inVain = neverLeaves(approval) || (sandbox.denyRead?.length ?? 0) > 0;
  return (exitCode, output) => {
    if (exitCode === 0) return undefined;
    const refused = refusedHosts();
    const note = refusedNote(refused.filter((host, at) => at >= told.hosts || output.includes(host)));
    told.hosts = refused.length;
    if (note !== undefined) return note;
    const hint = sandboxHint(exitCode, output, sandbox);
    if (hint === undefined || !inVain) return hint;
    return `${hint.split(ASKING)[0]}${NO_ASKING}`;
  };
}

function neverLeaves(approval: ApprovalPolicy): boolean {
  return approval === 'never' || (typeof approval === 'object' && !approval.sandbox);
}
