import type { McpAction, McpElicitationAction, McpSamplingAction } from '../base/action.ts';
import type { McpApprovalMode } from '../base/mcp-server-config.ts';
import type { ApprovalScope, Decision, Policy } from '../base/policy.ts';
import { type Question, refusalOf } from './question.ts';

/** Decides whether a tool of an MCP server may be called, by the mode that the user set for it or by its hints. */
export function decideMcp(action: McpAction, { approval, sandbox }: Policy): Decision {
  const allow: Decision = { type: 'allow', sandboxed: false };
  const { approval: mode = 'auto' } = action;
  // Servers run outside the sandbox anyway. A user who wants neither questions nor a sandbox gets neither.
  if (approval === 'never' && sandbox.mode === 'danger-full-access') return allow;
  if (mode === 'approve' || (!(mode === 'auto' && approval === 'untrusted') && !asks(action, mode))) return allow;
  const question = questionAbout(action, mode);
  const refusal = refusalOf([question], approval);
  if (refusal) return refusal;
  const scopes: readonly ApprovalScope[] =
    mode === 'prompt' ? [{ type: 'once' }] : [{ type: 'once' }, { type: 'tool' }];
  return { type: 'ask', reason: question.reason, sandboxed: false, scopes };
}

/** Decides whether a question of an MCP server is put to the user. The answer to it is never remembered. */
export function decideElicitation({ server, tool }: McpElicitationAction, { approval }: Policy): Decision {
  return askOnce(`The MCP server "${server}" asks a question during the call of its tool "${tool}".`, approval);
}

/** Decides whether an MCP server may use the model. The user is asked each time: the server chooses the text. */
export function decideSampling({ server, tool }: McpSamplingAction, { approval }: Policy): Decision {
  return askOnce(`The MCP server "${server}" wants to use the model during the call of its tool "${tool}".`, approval);
}

function askOnce(reason: string, approval: Policy['approval']): Decision {
  const underNever = 'The approval policy is never, so that nobody is asked.';
  const refusal = refusalOf([{ about: 'mcp', reason, underNever }], approval);
  return refusal ?? { type: 'ask', reason, sandboxed: false, scopes: [{ type: 'once' }] };
}

function asks({ hints }: McpAction, mode: McpApprovalMode): boolean {
  if (mode === 'auto') return needsApproval(hints);
  return mode === 'prompt' || hints.readOnly !== true;
}

/** Reports whether a tool needs approval. A missing hint counts as the worst one. */
function needsApproval({ readOnly = false, destructive, openWorld = true }: McpAction['hints']): boolean {
  if (destructive === true) return true;
  return !readOnly && (destructive === undefined || openWorld);
}

function questionAbout({ server, tool, hints }: McpAction, mode: McpApprovalMode): Question {
  return {
    about: 'mcp',
    reason: `The model wants to call the tool "${tool}" of the MCP server "${server}", which ${claimOf(hints, mode)}.`,
    underNever: 'MCP tool call requires approval, but approval policy is never',
  };
}

function claimOf(hints: McpAction['hints'], mode: McpApprovalMode): string {
  if (hints.destructive) return 'says that it may destroy something';
  if (hints.readOnly !== true) return 'may change things';
  return mode === 'prompt'
    ? 'says that it only reads, and its approval mode is "prompt"'
    : 'says that it only reads, and the approval policy is "untrusted"';
}
