/**
 * The canonical item is the Responses item: history, rollout file and Responses wire have the same object. Items are
 * never changed after they were made.
 */
export type Item =
  | MessageItem
  | ReasoningItem
  | FunctionCallItem
  | FunctionCallOutputItem
  | CustomToolCallItem
  | CustomToolCallOutputItem
  | LocalShellCallItem
  | HostedItem;

/** The author of a message. */
export type Role = 'user' | 'assistant' | 'developer' | 'system';

/** A message of the history that a new thread begins with. */
export interface HistoryMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** A part of a message or an output. */
export type ContentPart =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string; readonly detail?: string }
  | { readonly type: 'input_audio' | 'input_file'; readonly [field: string]: unknown }
  | { readonly type: 'output_text'; readonly text: string }
  | { readonly type: 'refusal'; readonly refusal: string };

/** A message of the user, the model or the program. */
export interface MessageItem {
  readonly type: 'message';
  readonly id?: string;
  readonly role: Role;
  readonly content: readonly ContentPart[];
  /** Only on assistant messages. Kept and sent back unchanged. */
  readonly phase?: 'commentary' | 'final_answer';
}

/**
 * Reasoning of the model, always sent back whole. A field that the server left out is an explicit null, as servers that
 * check reasoning items expect.
 */
export interface ReasoningItem {
  readonly type: 'reasoning';
  readonly id?: string;
  readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[];
  readonly content: readonly { readonly type: 'reasoning_text' | 'text'; readonly text: string }[] | null;
  readonly encrypted_content: string | null;
}

/** A call with arguments in JSON. */
export interface FunctionCallItem {
  readonly type: 'function_call';
  readonly id?: string;
  readonly name: string;
  readonly namespace?: string;
  /** A JSON text, never an object. */
  readonly arguments: string;
  readonly call_id: string;
}

/** Output of a call: a string or an array of parts. Servers reject an object here. A single text is always a string. */
export type Output = string | readonly ContentPart[];

/** The output of a function call. */
export interface FunctionCallOutputItem {
  readonly type: 'function_call_output';
  readonly id?: string;
  readonly call_id: string;
  readonly output: Output;
}

/** A call with a free text as its input. */
export interface CustomToolCallItem {
  readonly type: 'custom_tool_call';
  readonly id?: string;
  readonly status?: string;
  readonly call_id: string;
  readonly name: string;
  readonly namespace?: string;
  readonly input: string;
}

/** The output of a custom call. */
export interface CustomToolCallOutputItem {
  readonly type: 'custom_tool_call_output';
  readonly id?: string;
  readonly call_id: string;
  readonly output: Output;
}

/** A call of the tool `local_shell`. */
export interface LocalShellCallItem {
  readonly type: 'local_shell_call';
  readonly id?: string;
  readonly call_id: string;
  readonly status?: string;
  readonly action: {
    readonly type: 'exec';
    readonly command: readonly string[];
    readonly timeout_ms?: number;
    readonly working_directory?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly user?: string;
  };
}

/** Item of a tool that the server itself runs. Kept and sent back unchanged. */
export interface HostedItem {
  readonly type: (typeof HOSTED_ITEM_TYPES)[number];
  readonly [field: string]: unknown;
}

export const HOSTED_ITEM_TYPES = [
  'web_search_call',
  'image_generation_call',
  'tool_search_call',
  'tool_search_output',
  'compaction',
  'context_compaction',
  'additional_tools',
  'agent_message',
] as const;

/** An item that asks the client to run something. Exactly one output answers it. */
export type CallItem = FunctionCallItem | CustomToolCallItem | LocalShellCallItem;
/** An output, of a call of either kind. */
export type CallOutputItem = FunctionCallOutputItem | CustomToolCallOutputItem;

export function isCall(item: Item): item is CallItem {
  return item.type === 'function_call' || item.type === 'custom_tool_call' || item.type === 'local_shell_call';
}

export function isHosted(item: Item): item is HostedItem {
  return HOSTED_ITEM_TYPES.some((type) => type === item.type);
}

export function isCallOutput(item: Item): item is CallOutputItem {
  return item.type === 'function_call_output' || item.type === 'custom_tool_call_output';
}

/** Returns the text of a message, with its parts joined. */
export function messageText(item: MessageItem): string {
  return item.content.map((part) => ('text' in part && typeof part.text === 'string' ? part.text : '')).join('');
}
