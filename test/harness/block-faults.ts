import { isRecord } from '../../src/base/json-schema.ts';

type Entry = Readonly<Record<string, unknown>>;

/** Most marks of a cache in a request. */
const MOST_MARKS = 4;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const CALL_ID = /^[a-zA-Z0-9_-]+$/;

/**
 * Returns the faults for which a strict server of messages with blocks would refuse the body of a request. Such a server
 * wants a limit, results directly behind their calls and before other content, no empty texts, and signed reasoning.
 */
export function blockFaults(body: Entry): readonly string[] {
  const { max_tokens, thinking, tools = [], messages } = body;
  const turns = (Array.isArray(messages) ? messages : []).filter(isRecord);
  const faults: string[] = [];
  if (!Number.isInteger(max_tokens) || Number(max_tokens) < 1) faults.push('there is no limit');
  if (isRecord(thinking) && Number(thinking.budget_tokens ?? 0) >= Number(max_tokens))
    faults.push('the budget of the reasoning is not below the limit');
  if (turns[0]?.role !== 'user') faults.push('the first message is not of the user');
  if (turns.at(-1)?.role !== 'user') faults.push('the last message is not of the user');
  const marks = JSON.stringify(body).match(/"cache_control":/g)?.length ?? 0;
  if (marks > MOST_MARKS) faults.push(`there are ${marks} marks of a cache`);
  return [...faults, ...toolFaults(tools), ...callFaults(turns), ...turns.flatMap(contentFaults)];
}

function toolFaults(tools: unknown): string[] {
  return (Array.isArray(tools) ? tools : []).filter(isRecord).flatMap(({ name, input_schema }) => {
    const faults = TOOL_NAME.test(String(name)) ? [] : [`the tool ${name} has a wrong name`];
    if (isRecord(input_schema) && input_schema.type === 'object') return faults;
    return [...faults, `the tool ${name} has no schema of an object`];
  });
}

/** Returns the faults of calls and their results. */
function callFaults(turns: readonly Entry[]): string[] {
  const seen = new Set<string>();
  return turns.flatMap((turn, at) => {
    const calls = blocksOf(turn).filter(({ type }) => type === 'tool_use');
    const faults = calls.flatMap(({ id, input }) => {
      const again = seen.has(String(id)) ? [`the call ${id} is there twice`] : [];
      seen.add(String(id));
      return [
        ...again,
        ...(CALL_ID.test(String(id)) ? [] : [`the call ${id} has a wrong id`]),
        ...(isRecord(input) ? [] : [`the call ${id} has no object`]),
      ];
    });
    const next = turns[at + 1];
    const first = next === undefined ? [] : blocksOf(next).slice(0, calls.length);
    const answered = first.map(({ type, tool_use_id }) => (type === 'tool_result' ? tool_use_id : undefined));
    const unanswered = calls.filter(({ id }) => !answered.includes(id));
    const before = at === 0 ? [] : blocksOf(turns[at - 1] ?? {}).filter(({ type }) => type === 'tool_use');
    const results = blocksOf(turn).filter(({ type }) => type === 'tool_result');
    const foreign = results.filter(({ tool_use_id }) => !before.some(({ id }) => id === tool_use_id));
    return [
      ...faults,
      ...unanswered.map(({ id }) => `the call ${id} has no result directly behind it`),
      ...foreign.map(({ tool_use_id }) => `the result of ${tool_use_id} belongs to no call of the message before`),
    ];
  });
}

function contentFaults(turn: Entry, at: number): string[] {
  const { role } = turn;
  const known = KINDS[String(role)];
  if (known === undefined) return [`message ${at} is of ${role}`];
  const blocks = blocksOf(turn);
  if (blocks.length === 0) return [`message ${at} is empty`];
  const last = String(blocks.at(-1)?.type);
  const ends = role === 'assistant' && /thinking$/.test(last) ? [`message ${at} ends with reasoning`] : [];
  return [
    ...ends,
    ...blocks.flatMap(({ type, text, thinking, signature, data }) => {
      if (!known.includes(String(type))) return [`message ${at} of ${role} has a block of ${type}`];
      if (type === 'text' && (typeof text !== 'string' || text.trim() === ''))
        return [`message ${at} has an empty text`];
      if (type === 'thinking' && (typeof thinking !== 'string' || typeof signature !== 'string'))
        return [`message ${at} has reasoning without a signature`];
      return type === 'redacted_thinking' && typeof data !== 'string' ? [`message ${at} has no data`] : [];
    }),
  ];
}

const KINDS: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'document', 'tool_result'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use'],
};

function blocksOf({ content }: Entry): readonly Entry[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (Array.isArray(content) ? content : []).filter(isRecord);
}
