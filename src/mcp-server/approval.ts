import type { Answer, Ask } from '../base/event.ts';
import { isRecord } from '../base/json-schema.ts';
import type { ApprovalScope } from '../base/policy.ts';
import { parsedCommand } from './event-messages.ts';
import { plannedFileChanges } from './file-changes.ts';

/** The call of `codex` or `codex-reply` that a question belongs to. */
export interface ElicitationContext {
  readonly threadId: string;
  /** Id of the client's request. */
  readonly requestId: string | number;
}

/** Parameters of `elicitation/create`. The fields after the schema are those of Codex. */
export interface ElicitationParameters {
  readonly message: string;
  readonly requestedSchema: { readonly type: 'object'; readonly properties: Readonly<Record<string, never>> };
  readonly [field: string]: unknown;
}

/** Returns the question to the client whether an action may happen. */
export function elicitationOf(ask: Ask, { threadId, requestId }: ElicitationContext): ElicitationParameters {
  return {
    message: messageFor(ask),
    requestedSchema: { type: 'object', properties: {} },
    threadId,
    codex_mcp_tool_call_id: String(requestId),
    codex_event_id: ask.id,
    codex_call_id: ask.callId,
    ...fieldsOf(ask),
  };
}

function messageFor({ action, shown, cwd, reason, sandboxed }: Ask): string {
  const where = sandboxed ? '' : ' outside the sandbox';
  const question =
    action.kind === 'command'
      ? `Allow Oxbow to run \`${shown}\` in ${cwd}${where}?`
      : `Allow Oxbow to do this${action.kind === 'patch' ? where : ''}: ${shown}?`;
  return reason === '' ? question : `${question} ${reason}`;
}

function fieldsOf({ action, argv, cwd, reason }: Ask) {
  if (action.kind === 'patch') {
    return {
      codex_elicitation: 'patch-approval',
      codex_reason: reason,
      codex_grant_root: null,
      codex_changes: plannedFileChanges(action.changes),
    };
  }
  // Codex has no name for the other kinds.
  if (action.kind !== 'command') return { codex_elicitation: 'tool-approval', codex_reason: reason };
  return {
    codex_elicitation: 'exec-approval',
    codex_command: argv,
    codex_cwd: cwd,
    codex_parsed_cmd: parsedCommand(argv),
  };
}

/**
 * Reads the client's answer: `{ decision }` as Codex has it, or `{ action, content }` as MCP has it, whose content may
 * have a decision. An answer that cannot be read declines.
 */
export function readApproval(result: unknown, ask: Pick<Ask, 'scopes'>): Answer {
  if (!isRecord(result)) return unreadable();
  const { decision, action, content } = result;
  if (decision !== undefined) return readDecision(decision, ask);
  if (action === 'decline') return { type: 'decline' };
  if (action === 'cancel') return { type: 'decline', message: 'The user was asked and did not decide.' };
  if (action !== 'accept') return unreadable();
  const given = isRecord(content) ? content.decision : undefined;
  return given === undefined ? { type: 'approve' } : readDecision(given, ask);
}

function readDecision(decision: unknown, { scopes }: Pick<Ask, 'scopes'>): Answer {
  const name = isRecord(decision) ? Object.keys(decision)[0] : decision;
  switch (name) {
    case 'approved':
      return { type: 'approve' };
    case 'approved_for_session':
      return approveAs(scopes, lastsForThread);
    case 'approved_execpolicy_amendment':
      return approveAs(scopes, (scope) => scope.type === 'prefix' && scope.lasts === 'always');
    case 'denied':
      return { type: 'decline' };
    case 'abort':
      return { type: 'abort' };
    default:
      return unreadable();
  }
}

function lastsForThread({ type }: ApprovalScope): boolean {
  return type === 'thread' || type === 'tool';
}

/** Approves with the first offered scope that fits, and otherwise once: an approval never covers more than was offered. */
function approveAs(scopes: Ask['scopes'], fits: (scope: ApprovalScope) => boolean): Answer {
  const offered = scopes.find(({ scope }) => fits(scope));
  return offered === undefined ? { type: 'approve' } : { type: 'approve', scope: offered.scope };
}

function unreadable(): Answer {
  return { type: 'decline', message: 'The answer of the client could not be read.' };
}
