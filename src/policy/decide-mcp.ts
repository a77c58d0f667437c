import type { McpAction } from '../base/action.ts';
import type { Decision, Policy } from '../base/policy.ts';
import { type Question, refusalOf } from './question.ts';

/** Decides whether a tool of an MCP server may be called, by the hints of that tool. */
export function decideMcp(action: McpAction, { approval, sandbox }: Policy): Decision {
  const allow: Decision = { type: 'allow', sandboxed: false };
  // Servers run outside the sandbox anyway. A user who wants neither questions nor a sandbox gets neither.
  if (approval === 'never' && sandbox.mode === 'danger-full-access') return allow;
  if (approval !== 'untrusted' && !needsApproval(action.hints)) return allow;
  const question = questionAbout(action);
  const refusal = refusalOf([question], approval);
  if (refusal) return refusal;
  return { type: 'ask', reason: question.reason, sandboxed: false, scopes: [{ type: 'once' }, { type: 'tool' }] };
}

/** Reports whether a tool needs approval. A missing hint counts as the worst one. */
function needsApproval({ readOnly = false, destructive, openWorld = true }: McpAction['hints']): boolean {
  if (destructive === true) return true;
  return !readOnly && (destructive === undefined || openWorld);
}

function questionAbout({ server, tool, hints }: McpAction): Question {
  const claim = needsApproval(hints)
    ? hints.destructive
      ? 'says that it may destroy something'
      : 'may change things'
    : 'says that it only reads, and the approval policy is "untrusted"';
  return {
    about: 'mcp',
    reason: `The model wants to call the tool "${tool}" of the MCP server "${server}", which ${claim}.`,
    underNever: 'MCP tool call requires approval, but approval policy is never',
  };
}
