/** A message of a `codex/event` notification: its type, and fields with the names of Codex. */
export interface CodexMessage {
  readonly type: CodexMessageType;
  readonly [field: string]: unknown;
}

/** The types of messages that clients of `codex mcp-server` know. */
export type CodexMessageType =
  | 'session_configured'
  | 'task_started'
  | 'agent_message'
  | 'agent_message_delta'
  | 'agent_message_content_delta'
  | 'agent_reasoning'
  | 'agent_reasoning_delta'
  | 'reasoning_raw_content_delta'
  | 'exec_command_begin'
  | 'exec_command_output_delta'
  | 'exec_command_end'
  | 'exec_approval_request'
  | 'apply_patch_approval_request'
  | 'patch_apply_begin'
  | 'patch_apply_end'
  | 'mcp_tool_call_begin'
  | 'mcp_tool_call_end'
  | 'web_search_begin'
  | 'web_search_end'
  | 'plan_update'
  | 'turn_diff'
  | 'token_count'
  | 'error'
  | 'turn_aborted'
  | 'task_complete';

/** Returns a duration as Codex writes it. */
export function codexDuration(ms: number): { readonly secs: number; readonly nanos: number } {
  const secs = Math.floor(ms / 1000);
  return { secs, nanos: Math.round((ms - secs * 1000) * 1e6) };
}
