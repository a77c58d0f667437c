import type { RepairTool } from '../context.ts';
import { callSignature } from '../found-calls.ts';
import { CHANNELS } from './channels.ts';
import { type Construct, dialectConstruct, PLAIN_TEXT, type ScannerState } from './construct.ts';
import { Cursor } from './cursor.ts';
import type { TextCall } from './dialect.ts';
import { DIALECTS } from './dialects/dialects.ts';
import { readJsonValue } from './dialects/parts/read-json-calls.ts';
import { MarkdownState } from './markdown-state.ts';
import { writtenForms } from './written-forms.ts';

/** Signatures of the calls in a document; `too many` where reading all of them would take too long. */
export type CallsInDocument = ReadonlySet<string> | 'too many';

type Tools = ReadonlyMap<string, RepairTool>;

/**
 * Returns the calls in a text that a model reads. All of them count: in code, in quotes, in the middle of a line, or
 * escaped in one of the usual ways.
 */
export function findCalls(text: string, tools: Tools): CallsInDocument {
  if (tools.size === 0 || !namesOf(tools).test(text)) return NONE;
  const found = new Set<string>();
  let left = FREE_READING + MOST_READINGS * text.length;
  for (const form of writtenForms(text)) {
    for (const { index } of form.matchAll(BEGINNINGS)) {
      const rest = form.slice(index);
      for (const construct of CONSTRUCTS.filter(({ markers }) => markers.some((marker) => rest.startsWith(marker)))) {
        const { calls, read } = readWith(construct, rest, tools);
        for (const { name, arguments: input } of calls) found.add(callSignature(name, input));
        left -= read;
        if (left < 0) return 'too many';
      }
    }
  }
  return found;
}

const NONE: ReadonlySet<string> = new Set();

/** The most characters that are read at all markers together: a fixed number, and a number for each character. */
const FREE_READING = 256 * 1024;
const MOST_READINGS = 64;

const names = new WeakMap<Tools, RegExp>();

/** Returns a pattern of the names of tools. */
function namesOf(tools: Tools): RegExp {
  let pattern = names.get(tools);
  if (pattern === undefined) {
    pattern = new RegExp([...tools.keys()].map(RegExpEscape).join('|'), 'i');
    names.set(tools, pattern);
  }
  return pattern;
}

function RegExpEscape(text: string): string {
  return text.replace(/[^\w]/g, '\\$&');
}

/** A call in JSON, whatever is around it. */
const JSON_CALL: Construct = {
  markers: ['{'],
  atStart: false,
  isShort: false,
  applies: () => true,
  *read(cursor, { tools }) {
    const calls = yield* readJsonValue(cursor, tools, 'any');
    return calls === undefined ? undefined : { type: 'calls', id: 'D12', kind: 'message', calls };
  },
};

const CONSTRUCTS: readonly Construct[] = [
  ...CHANNELS.filter(({ atStart, isShort }) => !atStart && !isShort),
  ...DIALECTS.filter(({ kind }) => kind !== 'message').map(dialectConstruct),
  JSON_CALL,
];

const BEGINNINGS = new RegExp(
  [
    ...CONSTRUCTS.flatMap(({ markers }) => markers.filter((marker) => marker !== '{').map(RegExpEscape)),
    String.raw`\{(?=\s*"(?:name|function|type|id|arguments|parameters)"\s*:)`,
  ].join('|'),
  'g',
);

/** Reads one construct at the beginning of a text. */
function readWith(construct: Construct, text: string, tools: Tools): { calls: readonly TextCall[]; read: number } {
  const cursor = new Cursor();
  cursor.feed(text);
  cursor.end();
  const { value } = construct.read(cursor, { ...STATE, markdown: new MarkdownState(), tools }).next();
  return { calls: value?.type === 'calls' ? value.calls : [], read: cursor.position };
}

const STATE: Omit<ScannerState, 'markdown' | 'tools'> = {
  channel: 'reasoning',
  thinking: 'text',
  continues: false,
  region: PLAIN_TEXT,
  fresh: false,
  said: false,
  spoke: false,
  openTags: 0,
  followsCalls: false,
};
