import type { Action } from '../base/action.ts';
import type { Decision, Policy } from '../base/policy.ts';
import { decideCommand } from './decide-command.ts';
import { decideElicitation, decideMcp, decideSampling } from './decide-mcp.ts';
import { decideOwn } from './decide-own.ts';
import { decidePatch } from './decide-patch.ts';
import { decideRead } from './decide-read.ts';
import { decideTerminalInput } from './decide-terminal-input.ts';
import type { Knowledge } from './knowledge.ts';

/**
 * Decides whether an action may happen, must be asked for, or is refused. Pure: the same arguments have the same
 * answer. All answers stand in the tables of docs/approvals.md, which a test walks through.
 */
export function decide(action: Action, policy: Policy, knowledge: Knowledge): Decision {
  const decision = decideUnapproved(action, policy, knowledge);
  if (decision.type !== 'ask' || !knowledge.approved) return decision;
  const { sandboxed, askAgain } = decision;
  return { type: 'allow', sandboxed, ...(askAgain ? { askAgain } : {}) };
}

/** Decides about an action that the user has not approved before. */
function decideUnapproved(action: Action, policy: Policy, knowledge: Knowledge): Decision {
  const { command, patch, terminal, distrust } = knowledge;
  switch (action.kind) {
    case 'command':
      if (!command) throw new Error('A command is decided upon only after it was examined.');
      return decideCommand(action, policy, command);
    case 'terminal_input':
      return decideTerminalInput(action, policy, terminal ?? 'inside');
    case 'patch':
      if (!patch) throw new Error('A patch is decided upon only after it was examined.');
      return decidePatch(action, policy, patch);
    case 'read':
      return decideRead(action, policy);
    // The user chose the command, which needs the network.
    case 'search':
      if (distrust !== undefined) return { type: 'deny', reason: `${UNTRUSTED_SEARCH} ${distrust}.`, cause: 'other' };
      return { type: 'allow', sandboxed: false };
    case 'mcp':
      return decideMcp(action, policy);
    case 'mcp_elicitation':
      return decideElicitation(action, policy);
    case 'mcp_sampling':
      return decideSampling(action, policy);
    case 'own':
      return decideOwn(action, policy);
    // A plan touches nothing outside the thread.
    case 'plan':
      return { type: 'allow', sandboxed: true };
  }
}

const UNTRUSTED_SEARCH =
  'web_search cannot be used. Tell the user to configure its command with a full path outside the workspace. It is';
