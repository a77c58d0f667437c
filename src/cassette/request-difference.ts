import { isRecord } from '../base/json-schema.ts';
import { REDACTED } from './cassette.ts';

/**
 * Returns the first difference between the body of a request and a recorded one, as the end of a sentence; undefined if
 * both ask the same. Compares the model, the texts and calls of the input, and the names of the tools. Ignores
 * everything that differs from run to run: outputs of calls, descriptions of the machine, ids and settings.
 */
export function requestDifference(recorded: unknown, sent: unknown): string | undefined {
  if (!isRecord(recorded) || !isRecord(sent)) {
    const equal = sameText(plainText(recorded), plainText(sent));
    return equal ? undefined : 'the body is another one';
  }
  return modelDifference(recorded, sent) ?? inputDifference(recorded, sent) ?? toolDifference(recorded, sent);
}

type Body = Readonly<Record<string, unknown>>;

function modelDifference(recorded: Body, sent: Body): string | undefined {
  if (sameText(plainText(recorded.model), plainText(sent.model))) return undefined;
  return `the model is ${JSON.stringify(sent.model)}, it was ${JSON.stringify(recorded.model)}`;
}

function inputDifference(recorded: Body, sent: Body): string | undefined {
  const before = entriesOf(recorded);
  const now = entriesOf(sent);
  const shorter = Math.min(before.length, now.length);
  for (let index = 0; index < shorter; index++) {
    const difference = entryDifference(before[index], now[index]);
    if (difference !== undefined) return `item ${index + 1} of the input is ${difference}`;
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

/** A message, a call, or an output without its text. */
interface Entry {
  readonly what: string;
  readonly text: string;
}

function entriesOf({ input, messages }: Body): Entry[] {
  const list = input ?? messages;
  if (typeof list === 'string') return [{ what: 'user', text: list }];
  return Array.isArray(list) ? list.filter(isRecord).map(entryOf) : [];
}

function entryOf(item: Body): Entry {
  const what = [item.role ?? item.type, item.name].filter((word) => typeof word === 'string').join(' ');
  const isOutput = item.role === 'tool' || (typeof item.type === 'string' && item.type.endsWith('_output'));
  return { what, text: isOutput ? '' : withoutMachine(plainText({ ...item, name: '' })) };
}

/** Fields with content in any of the protocols, in a fixed order. */
const TEXT_FIELDS = ['text', 'content', 'summary', 'tool_calls', 'function', 'name', 'arguments', 'input', 'action'];

function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(plainText).join('');
  if (!isRecord(value)) return value === undefined || value === null ? '' : String(value);
  if (value.type === 'tool_result') return '';
  const known = TEXT_FIELDS.filter((field) => field in value);
  return known.length > 0 ? known.map((field) => plainText(value[field])).join('') : JSON.stringify(value);
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
