import { isRecord } from '../../src/base/json-schema.ts';
import { blockFaults } from './block-faults.ts';

/**
 * Returns the faults for which a strict server would refuse the body of a request, of any wire: one sentence each.
 */
export function requestFaults(body: Readonly<Record<string, unknown>>): readonly string[] {
  const { input, messages } = body;
  if (Array.isArray(input)) return [...inputFaults(input.filter(isRecord)), ...repeatedIds(input.filter(isRecord))];
  if (!Array.isArray(messages)) return ['there is neither input nor messages'];
  if ('max_tokens' in body) return blockFaults(body);
  return 'stream_options' in body ? messageFaults(messages.filter(isRecord)) : lineFaults(messages.filter(isRecord));
}

type Entry = Readonly<Record<string, unknown>>;

/** The types of calls, and the types of their outputs. */
const CALLS: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
  local_shell_call: 'function_call_output',
};
const OUTPUTS = new Set(Object.values(CALLS));
const HOSTED = new Set(['web_search_call', 'image_generation_call', 'tool_search_call', 'tool_search_output']);
const SEALED = new Set(['compaction', 'context_compaction', 'agent_message']);
const PARTS: Readonly<Record<string, readonly string[]>> = {
  user: ['input_text', 'input_image', 'input_audio', 'input_file'],
  developer: ['input_text', 'input_image', 'input_file'],
  system: ['input_text', 'input_image', 'input_file'],
  assistant: ['output_text', 'refusal'],
};

function inputFaults(input: readonly Entry[]): string[] {
  const faults: string[] = [];
  const open = new Map<string, string>();
  const calls = new Set<string>();
  for (const [index, item] of input.entries()) {
    const { type, call_id } = item;
    const at = `item ${index} (${type})`;
    if (typeof type === 'string' && Object.hasOwn(CALLS, type)) {
      if (typeof call_id !== 'string' || call_id === '') faults.push(`${at} has no call_id`);
      if (calls.has(String(call_id))) faults.push(`${at} uses the id ${call_id} again`);
      if (type === 'function_call' && typeof item.arguments !== 'string') faults.push(`${at} has no arguments`);
      calls.add(String(call_id));
      open.set(String(call_id), CALLS[type] ?? '');
    } else if (OUTPUTS.has(String(type))) {
      const wanted = open.get(String(call_id));
      if (wanted === undefined) faults.push(`${at} answers no open call (${call_id})`);
      else if (wanted !== type) faults.push(`${at} is no ${wanted}`);
      if (!isOutput(item.output)) faults.push(`${at} has a strange output`);
      open.delete(String(call_id));
    } else if (type === 'message') {
      if (item.role !== 'assistant' && open.size > 0) faults.push(`${at} stands before the output of a call`);
      faults.push(...partFaults(item).map((fault) => `${at} ${fault}`));
    } else if (type === 'reasoning') {
      if (!Array.isArray(item.summary)) faults.push(`${at} has no summary`);
    } else if (!HOSTED.has(String(type)) && !SEALED.has(String(type))) faults.push(`${at} is of no known type`);
  }
  return [...faults, ...[...open.keys()].map((id) => `the call ${id} has no output`)];
}

function isOutput(output: unknown): boolean {
  if (typeof output === 'string') return true;
  return Array.isArray(output) && output.every((part) => isRecord(part) && PARTS.user?.includes(String(part.type)));
}

function partFaults({ role, content }: Entry): string[] {
  const known = PARTS[String(role)];
  if (known === undefined) return [`has the role ${role}`];
  if (!Array.isArray(content)) return ['has no parts'];
  return content.filter((part) => !isRecord(part) || !known.includes(String(part.type))).map(() => 'has a wrong part');
}

function repeatedIds(input: readonly Entry[]): string[] {
  const seen = new Set<unknown>();
  return input.flatMap(({ id }) => {
    if (id === undefined || !seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [`the id ${id} is there twice`];
  });
}

/**
 * Returns the faults of messages. On the chat wire the answers to the calls of a message follow it at once, in the same
 * order.
 */
function messageFaults(messages: readonly Entry[]): string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  for (let at = 0; at < messages.length; at++) {
    const { role, content, tool_calls } = messages[at] ?? {};
    if (!['system', 'developer', 'user', 'assistant'].includes(String(role)))
      faults.push(`message ${at} is of ${role}`);
    const calls = (Array.isArray(tool_calls) ? tool_calls : []).filter(isRecord);
    if (role === 'assistant' && calls.length === 0 && (content === null || content === '')) {
      faults.push(`message ${at} of the assistant says and does nothing`);
    }
    for (const { id } of calls) {
      if (ids.has(String(id))) faults.push(`the call ${id} is there twice`);
      ids.add(String(id));
      const answer = messages[++at];
      if (answer?.role !== 'tool' || answer.tool_call_id !== id) faults.push(`the call ${id} has no answer behind it`);
      else if (typeof answer.content !== 'string') faults.push(`the answer to ${id} is no text`);
    }
  }
  return faults;
}

/** Returns the faults of messages for servers that answer in lines: arguments are objects, and texts are never null. */
function lineFaults(messages: readonly Entry[]): string[] {
  const faults: string[] = [];
  let open: string[] = [];
  for (const [at, { role, content, tool_calls, tool_name, images = [] }] of messages.entries()) {
    if (!['system', 'user', 'assistant', 'tool'].includes(String(role))) faults.push(`message ${at} is of ${role}`);
    if (typeof content !== 'string') faults.push(`message ${at} has no text`);
    if (!isList(images, (image) => typeof image === 'string' && !image.startsWith('data:')))
      faults.push(`message ${at} has a strange image`);
    if (role === 'tool') {
      const found = open.indexOf(String(tool_name));
      if (found < 0) faults.push(`message ${at} answers no open call (${tool_name})`);
      open = open.toSpliced(found, found < 0 ? 0 : 1);
      continue;
    }
    if (open.length > 0) faults.push(`message ${at} stands before the answers to ${open}`);
    const calls = (Array.isArray(tool_calls) ? tool_calls : []).map((call) => (isRecord(call) ? call.function : {}));
    if (!isList(calls, (call) => isRecord(call) && typeof call.name === 'string' && isRecord(call.arguments)))
      faults.push(`message ${at} has a call without a name or an object`);
    open = calls.map((call) => String(isRecord(call) ? call.name : ''));
  }
  return open.length === 0 ? faults : [...faults, `no answers to ${open}`];
}

function isList(value: unknown, test: (entry: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(test);
}
