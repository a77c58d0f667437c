import { isRecord } from '../base/json-schema.ts';
import { REDACTED } from './cassette.ts';

/**
 * Extent to which a request is compared with a recorded one. `strict`: the model, every message, call and output of the input, and
 * the names of the tools. `lenient`: the model, the texts of the user, the order of messages, calls and outputs, the
 * names of called tools, and the names of the offered tools.
 */
export type CassetteMatch = 'strict' | 'lenient';

/**
 * Returns the first difference between the body of a request and a recorded one, as the end of a sentence; undefined if
 * both ask the same. Ignores everything that differs from run to run: descriptions of the machine, the times and ids in
 * the outputs of commands, ids and settings.
 */
export function requestDifference(
  recorded: unknown,
  sent: unknown,
  match: CassetteMatch = 'strict',
): string | undefined {
  if (!isRecord(recorded) || !isRecord(sent)) {
    const equal = sameText(plainText(recorded), plainText(sent));
    return equal ? undefined : 'the body is another one';
  }
  const entriesOf = ENTRIES[match];
  return (
    modelDifference(recorded, sent) ??
    inputDifference(entriesOf(recorded), entriesOf(sent)) ??
    toolDifference(recorded, sent)
  );
}

type Body = Readonly<Record<string, unknown>>;

function modelDifference(recorded: Body, sent: Body): string | undefined {
  if (sameText(plainText(recorded.model), plainText(sent.model))) return undefined;
  return `the model is ${JSON.stringify(sent.model)}, it was ${JSON.stringify(recorded.model)}`;
}

function inputDifference(before: readonly Entry[], now: readonly Entry[]): string | undefined {
  const shorter = Math.min(before.length, now.length);
  for (let index = 0; index < shorter; index++) {
    const difference = entryDifference(before[index], now[index]);
    if (difference !== undefined) return `item ${now[index]?.number} of the input is ${difference}`;
  }
  return before.length === now.length ? undefined : `the input has ${now.length} items, it had ${before.length}`;
}

function toolDifference(recorded: Body, sent: Body): string | undefined {
  const before = toolNames(recorded);
  const now = toolNames(sent);
  const added = now.find((name) => !before.includes(name));
  if (added !== undefined) return `the tool ${JSON.stringify(added)} is new`;
  const gone = before.find((name) => !now.includes(name));
  return gone === undefined ? undefined : `the tool ${JSON.stringify(gone)} is missing`;
}

/** A message, a call or an output. */
interface Entry {
  /** Place in the input, counted from 1. */
  readonly number: number;
  readonly what: string;
  readonly text: string;
}

const ENTRIES: Readonly<Record<CassetteMatch, (body: Body) => Entry[]>> = {
  strict(body) {
    const items = itemsOf(body);
    const folder = folderOf(items);
    return items.map((item, index) => {
      const text = isOutput(item) ? plainOutput(item, folder) : withoutMachine(plainText({ ...item, name: '' }));
      return { number: index + 1, what: kindOf(item), text };
    });
  },
  lenient(body) {
    return itemsOf(body).flatMap((item, index) => {
      const { role, type } = item;
      const text = role === 'user' ? withoutMachine(plainText({ ...item, name: '' })).trim() : '';
      // Instructions, reasoning, and messages that only describe the machine.
      const isLeftOut = role === 'system' || role === 'developer' || type === 'reasoning' || (role === 'user' && !text);
      if (isLeftOut) return [];
      return [{ number: index + 1, what: [kindOf(item), ...calledTools(item)].join(' '), text }];
    });
  },
};

function itemsOf({ input, messages }: Body): readonly Body[] {
  const list = input ?? messages;
  if (typeof list === 'string') return [{ role: 'user', content: list }];
  return Array.isArray(list) ? list.filter(isRecord).flatMap(withoutBlocks) : [];
}

/** Returns a message and the outputs, calls and reasoning that it holds as blocks, each as an item of its own. */
function withoutBlocks(message: Body): readonly Body[] {
  const { content } = message;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const items = blocks.filter(isRecord).flatMap(itemOfBlock);
  if (items.length === 0) return [message];
  const rest = blocks.filter((block) => !isRecord(block) || itemOfBlock(block).length === 0);
  const said = rest.length === 0 ? [] : [{ ...message, content: rest }];
  // Outputs precede the words of the user; calls and reasoning belong to what the assistant said.
  return message.role === 'user' ? [...items, ...said] : [...said, ...items];
}

function itemOfBlock({ type, name, input, content, thinking }: Body): readonly Body[] {
  if (type === 'tool_result') return [{ role: 'tool', content }];
  if (type === 'tool_use') return [{ type: 'function_call', name, arguments: input }];
  if (type === 'thinking' || type === 'redacted_thinking') return [{ type: 'reasoning', content: thinking }];
  return [];
}

function kindOf({ role, type, name }: Body): string {
  return [role ?? type, name].filter((word) => typeof word === 'string').join(' ');
}

/** Returns the names of the tools that a message of the assistant calls. */
function calledTools({ tool_calls }: Body): readonly string[] {
  if (!Array.isArray(tool_calls)) return [];
  return tool_calls.map((call: unknown) =>
    plainText(isRecord(call) && isRecord(call.function) ? call.function.name : ''),
  );
}

function isOutput({ role, type }: Body): boolean {
  return role === 'tool' || (typeof type === 'string' && type.endsWith('_output'));
}

/** Returns an output without the working folder of its run, and without times and ids that our tools write. */
function plainOutput({ output, content }: Body, folder: string | undefined): string {
  const text = plainText(output ?? content).replace(OF_RUN, '');
  return folder === undefined ? text : text.replaceAll(folder, '<folder>');
}

const OF_RUN =
  /^(?:Chunk ID: \w+|Wall time: [\d.]+ seconds|Original token count: \d+)$|(?<=running with session ID )\d+|(?<="duration_seconds":)[\d.]+/gm;

/** Returns the working folder that the description of the machine names. */
function folderOf(items: readonly Body[]): string | undefined {
  return items.flatMap((item) => /<cwd>([^<]+)<\/cwd>/.exec(plainText(item))?.[1] ?? [])[0];
}

/** Fields with content in any of the protocols, in a fixed order. */
const TEXT_FIELDS = 'text content summary tool_calls function name arguments input action images'.split(' ');
/** Fields whose objects belong to a tool, whatever their names are. */
const FREE_FIELDS = new Set(['arguments', 'input']);

function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(plainText).join('');
  if (!isRecord(value)) return value === undefined || value === null ? '' : String(value);
  const known = TEXT_FIELDS.filter((field) => field in value);
  return known.length > 0 ? known.map((field) => fieldText(field, value[field])).join('') : JSON.stringify(value);
}

function fieldText(field: string, value: unknown): string {
  return FREE_FIELDS.has(field) && isRecord(value) ? JSON.stringify(value) : plainText(value);
}

/** Removes the folder, the date, the permissions and the instruction files. */
function withoutMachine(text: string): string {
  return text.replace(OF_MACHINE, '');
}

const OF_MACHINE =
  /<environment_context>[\s\S]*<\/environment_context>|<permissions instructions>[\s\S]*<\/permissions instructions>|# AGENTS\.md instructions for [\s\S]*<\/INSTRUCTIONS>/g;

function toolNames({ tools }: Body): string[] {
  if (!Array.isArray(tools)) return [];
  return tools.filter(isRecord).map((tool) => {
    const named = isRecord(tool.function) ? tool.function : tool;
    return String(named.name ?? named.type);
  });
}

function entryDifference(before: Entry | undefined, now: Entry | undefined): string | undefined {
  if (!before || !now || (before.what === now.what && sameText(before.text, now.text))) return undefined;
  const at = before.what === now.what ? firstDifference(before.text, now.text) : 0;
  return `${describe(now, at)}, it was ${describe(before, at)}`;
}

/** Reports whether two texts are equal. A redacted part of the recording matches anything. */
function sameText(recorded: string, sent: string): boolean {
  if (!recorded.includes(REDACTED)) return recorded === sent;
  const parts = recorded.split(REDACTED);
  const last = parts.pop() ?? '';
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const found = sent.indexOf(part, at);
    if (found < 0 || (index === 0 && found > 0)) return false;
    at = found + part.length;
  }
  return sent.length - last.length >= at && sent.endsWith(last);
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

const SHOWN_BEFORE = 20;
const SHOWN_CHARS = 60;

function describe({ what, text }: Entry, at: number): string {
  const from = Math.max(0, at - SHOWN_BEFORE);
  const shown = text.slice(from, from + SHOWN_CHARS);
  const cut = (missing: boolean) => (missing ? '…' : '');
  return `${what} ${JSON.stringify(cut(from > 0) + shown + cut(from + SHOWN_CHARS < text.length))}`;
}
