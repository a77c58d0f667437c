import { isRecord } from '../base/json-schema.ts';
import type { CodexMessage, CodexMessageType } from './codex-message.ts';

type Texts = { readonly [T in CodexMessageType]?: (message: CodexMessage) => string };

const TEXTS: Texts = {
  session_configured: () => 'Started',
  agent_message: () => 'The model wrote a message',
  agent_reasoning: () => 'The model thought',
  exec_command_begin: (message) => `Running ${commandText(message)}`,
  exec_command_end: ({ exit_code }) => `The command ended with code ${exit_code}`,
  exec_approval_request: (message) => `Asking about ${commandText(message)}`,
  apply_patch_approval_request: () => 'Asking about a patch',
  patch_apply_begin: ({ changes }) => `Changing ${Object.keys(isRecord(changes) ? changes : {}).join(', ')}`,
  patch_apply_end: ({ success }) => (success === true ? 'Changed the files' : 'The files were not changed'),
  mcp_tool_call_begin: ({ invocation }) => `Calling ${isRecord(invocation) ? invocation.tool : 'a tool'}`,
  mcp_tool_call_end: () => 'The tool has answered',
  web_search_end: ({ query }) => `Searched for ${query}`,
  plan_update: () => 'Changed the plan',
};

const MOST_CHARACTERS = 200;

/** Returns the words for a message in a progress notification. Undefined for a message that is not progress. */
export function progressText(message: CodexMessage): string | undefined {
  const text = TEXTS[message.type]?.(message);
  return text !== undefined && text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

function commandText({ parsed_cmd: parsed }: CodexMessage): string {
  const [first] = Array.isArray(parsed) ? (parsed as readonly unknown[]) : [];
  return isRecord(first) ? String(first.cmd) : 'a command';
}
