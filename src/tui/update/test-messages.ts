import fc from 'fast-check';
import type { Ask, EventBody, ThreadItem } from '../../base/event.ts';
import { DEFAULT_KEYS } from '../../config/setting/terminal-keys.ts';
import { expandTabs } from '../../text/cells.ts';
import { visible } from '../../text/visible.ts';
import type { InputEvent, Key } from '../input/input-event.ts';
import { textKey } from '../input/keys.ts';
import type { TuiMessage } from '../message.ts';
import { openPager } from '../pager/pager.ts';
import { textBlocks } from '../pager/pager-block.ts';
import { ACTIONS } from './key-bindings.ts';

/** Returns the key that a name of `[tui.keys]` stands for. */
function keyOf(name: string): Key {
  const parts = name.split('+');
  const own = parts.at(-1) ?? '';
  const [ctrl, alt, shift] = ['ctrl', 'alt', 'shift'].map((modifier) => parts.slice(0, -1).includes(modifier));
  if (own.length === 1 && !ctrl && !alt) return textKey(own);
  return { name: own, text: '', ctrl: ctrl === true, alt: alt === true, shift: shift === true };
}

/** Returns the message of a pressed key, named as in `[tui.keys]`. */
export const press = (name: string, at: number): TuiMessage => ({
  type: 'input',
  event: { type: 'key', key: keyOf(name) },
  at,
});

/** Returns the messages of a typed text, a key each. */
export const typed = (text: string, at: number): TuiMessage[] =>
  [...text].map((character) => ({ type: 'input', event: { type: 'key', key: textKey(character) }, at }));

/** Returns the message of an event of the thread. */
export const happened = (event: EventBody, at: number): TuiMessage => ({
  type: 'event',
  event: { v: 1, seq: 0, threadId: 't', turnId: 'u', ...event },
  at,
});

/** Returns a question about a command. */
export const askOf = (id: string, script: string): Ask => ({
  id,
  callId: 'c',
  action: { kind: 'command', argv: ['bash', '-lc', script], cwd: '/w', login: true, escalate: true, yieldMs: 1 },
  argv: ['bash', '-lc', script],
  cwd: '/w',
  shown: script,
  reason: 'It leaves the sandbox.',
  sandboxed: false,
  scopes: [
    { scope: { type: 'once' }, effect: 'It runs outside the sandbox, this one time.' },
    { scope: { type: 'thread' }, effect: 'The same command is not asked about again in this thread.' },
  ],
});

const LONG = 'a rather long sentence about nothing in particular, '.repeat(8);

const text = fc.oneof(
  fc.constantFrom(
    'a',
    'word ',
    '日本語のテキスト',
    'שלום עולם',
    '👩\u200d🚀',
    'e\u0301',
    '\t',
    '\x1b[2K',
    LONG,
    '/mo',
    '@sr',
    '!ls',
    '\\',
    // Members of every object.
    'valueOf',
    'constructor',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);

const KEY_NAMES = [
  ...ACTIONS.flatMap((action) => DEFAULT_KEYS[action]),
  'y',
  'n',
  'e',
  'v',
  'q',
  '/',
  '?',
  'page_up',
  'page_down',
  'f9',
];

const anyInput: fc.Arbitrary<InputEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...KEY_NAMES).map((name) => ({ type: 'key' as const, key: keyOf(name) })) },
  { weight: 5, arbitrary: text.map((typedText) => ({ type: 'key' as const, key: textKey(typedText) })) },
  {
    weight: 2,
    arbitrary: fc
      .oneof(text, fc.constantFrom('line\n'.repeat(30), 'one\ntwo', 'x'.repeat(3000)))
      .map((pasted) => ({ type: 'paste' as const, text: pasted })),
  },
  { weight: 1, arbitrary: fc.boolean().map((focused) => ({ type: 'focus' as const, focused })) },
);

const ids = fc.constantFrom('1', '2', '3');

const item: fc.Arbitrary<ThreadItem> = fc.tuple(ids, text, fc.nat(7)).map(([id, words, kind]): ThreadItem => {
  const items: readonly ThreadItem[] = [
    { type: 'user_message', id, text: words, images: 1 },
    { type: 'agent_message', id, text: words },
    { type: 'reasoning', id, text: words },
    {
      type: 'command',
      id,
      argv: ['sh', '-c', words],
      cwd: '/w',
      output: `${words}\n`.repeat(20),
      exitCode: 0,
      durationMs: 1,
      status: 'completed',
    },
    {
      type: 'file_change',
      id,
      changes: [{ kind: 'update', path: `/w/${words}`, diff: '@@ -1 +1 @@\n-a\n+b\n' }],
      status: 'completed',
    },
    { type: 'web_search', id, query: words, status: 'running' },
    {
      type: 'plan',
      id: 'plan',
      explanation: null,
      steps: [
        { step: words, status: 'in_progress' },
        { step: 'b', status: 'pending' },
      ],
    },
    {
      type: 'tool_call',
      id,
      name: words,
      arguments: '{}',
      output: words,
      status: 'completed',
      durationMs: 2,
      failure: null,
    },
  ];
  return items[kind] ?? { type: 'agent_message', id, text: words };
});

const usage = {
  inputTokens: 1,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 1,
  reasoningOutputTokens: 0,
  totalTokens: 2,
};

const anyEvent: fc.Arbitrary<EventBody> = fc.oneof(
  fc.constant({ type: 'turn.started' as const }),
  fc.constant({ type: 'turn.aborted' as const, reason: 'interrupted' as const }),
  fc.constant({ type: 'turn.completed' as const, usage, finalResponse: '' }),
  fc.constant({ type: 'turn.failed' as const, error: { code: 'internal' as const, message: LONG } }),
  fc
    .tuple(fc.constantFrom('item.started', 'item.updated', 'item.completed'), item)
    .map(([type, shown]) => ({ type, item: shown })),
  ids.map((itemId) => ({ type: 'item.dropped' as const, itemId })),
  fc.tuple(ids, text).map(([itemId, delta]) => ({ type: 'text.delta' as const, itemId, delta: `${delta}\n` })),
  fc.tuple(ids, text).map(([itemId, delta]) => ({ type: 'text.delta' as const, itemId, delta })),
  fc
    .tuple(ids, text)
    .map(([itemId, delta]) => ({ type: 'reasoning.delta' as const, itemId, kind: 'raw' as const, delta })),
  fc
    .tuple(ids, text)
    .map(([itemId, output]) => ({ type: 'command.output' as const, itemId, text: `${output}\n`.repeat(9) })),
  fc.tuple(ids, text).map(([id, script]) => ({ type: 'ask.opened' as const, ask: askOf(id, script) })),
  ids.map((askId) => ({ type: 'ask.answered' as const, askId, answer: 'approved' as const })),
  fc.array(text, { maxLength: 3 }).map((texts) => ({
    type: 'queue.changed' as const,
    queue: texts.map((part, index) => ({ id: String(index), content: [{ type: 'input_text' as const, text: part }] })),
  })),
  text.map((message) => ({ type: 'warning' as const, code: 'mcp' as const, message })),
) as fc.Arbitrary<EventBody>;

const row = text.map((label) => ({ value: label, label, detail: label }));

/** Any message but time, which only goes forward. */
const anyMessage: fc.Arbitrary<(at: number) => TuiMessage> = fc.oneof(
  { weight: 12, arbitrary: anyInput.map((event) => (at: number) => ({ type: 'input' as const, event, at })) },
  { weight: 8, arbitrary: anyEvent.map((event) => (at: number) => happened(event, at)) },
  { weight: 1, arbitrary: fc.constant((at: number) => ({ type: 'tick' as const, at })) },
  {
    weight: 3,
    arbitrary: fc
      .record({ columns: fc.integer({ min: 1, max: 300 }), rows: fc.integer({ min: 1, max: 100 }) })
      .map((size) => () => ({ type: 'resized' as const, size })),
  },
  {
    weight: 1,
    arbitrary: fc.array(row, { maxLength: 4 }).map((rows) => () => ({ type: 'files' as const, query: 'sr', rows })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.array(row, { maxLength: 4 }), fc.boolean()).map(([rows, isAsked]) => () => ({
      type: 'choose' as const,
      command: 'trust',
      title: 'Do you trust it?',
      rows,
      isAsked,
    })),
  },
  { weight: 1, arbitrary: fc.integer({ min: -1, max: 3 }).map((index) => () => ({ type: 'pick' as const, index })) },
  { weight: 1, arbitrary: text.map((hint) => () => ({ type: 'hint' as const, text: hint })) },
  { weight: 1, arbitrary: text.map((draft) => () => ({ type: 'draft' as const, text: draft })) },
  { weight: 1, arbitrary: text.map((failure) => () => ({ type: 'failed' as const, text: failure })) },
  { weight: 1, arbitrary: text.map((line) => () => ({ type: 'slash' as const, line })) },
  {
    weight: 1,
    arbitrary: fc.array(text, { maxLength: 3 }).map((prompts) => () => ({ type: 'prompts' as const, prompts })),
  },
  { weight: 1, arbitrary: fc.constant(() => ({ type: 'image' as const, path: '/a.png', label: '640×480' })) },
  {
    weight: 1,
    arbitrary: fc.constant(() => ({
      type: 'thread' as const,
      thread: { id: 't', name: null, hasTurns: true },
      entries: [],
    })),
  },
  { weight: 1, arbitrary: text.map((shown) => () => pageOf(`${shown}\n`.repeat(40))) },
);

const pageOf = (shown: string): TuiMessage => ({
  type: 'page',
  pager: openPager({
    title: 'Thread',
    blocks: textBlocks('b', shown, (lines) =>
      lines.split('\n').map((line) => [{ text: expandTabs(visible(line)), style: {} }]),
    ),
    hasBefore: false,
    from: 'end',
  }),
  before: null,
  follows: true,
  askId: '1',
});

/** A series of messages, at times that only go forward. */
export const anyMessages: fc.Arbitrary<readonly TuiMessage[]> = fc
  .array(fc.tuple(anyMessage, fc.oneof(fc.nat(200), fc.constantFrom(0, 399, 400, 1000, 3000))), { maxLength: 60 })
  .map((parts) => {
    let now = 10_000;
    return parts.map(([make, passed]) => {
      now += passed;
      return make(now);
    });
  });
