import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { chunk, DONE, piece, type RepairedChat, repair } from './fixtures/repair-frames.ts';

const BLOCK = '<tool_call>{"name":"add","arguments":{"a":1}}</tool_call>';
const LONG = 'word '.repeat(60);

interface Case {
  readonly says: string;
  readonly frames: readonly unknown[];
  readonly gives: Partial<Pick<RepairedChat, 'text' | 'reasoning' | 'calls' | 'end'>>;
}

/** Responses that a second repair once changed again. `repair` repairs twice and compares. */
const CASES: readonly Case[] = [
  {
    says: 'a whole body with two choices, the second with a call in its text',
    frames: [{ choices: [{}, { index: 1, message: { content: BLOCK } }] }],
    gives: { calls: [], end: 'completed' },
  },
  {
    says: 'a second choice with a call in its text, and no finish signal before the end mark',
    frames: [{ choices: [{ delta: { content: 'Hi' } }, { index: 1, delta: { content: BLOCK } }] }, DONE],
    gives: { text: 'Hi', calls: [], end: 'completed' },
  },
  {
    says: 'a second choice with a call in its text, and a connection that breaks off',
    frames: [{ choices: [{ delta: { content: 'Hi' } }, { index: 1, delta: { content: BLOCK } }] }],
    gives: { text: 'Hi', calls: [], end: 'failed' },
  },
  {
    says: 'a first choice of which nothing is left before the second one begins',
    frames: [
      { choices: [{ delta: { content: BLOCK } }, { index: 1, delta: { refusal: 'No.' } }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
      DONE,
    ],
    gives: { calls: [{ name: 'add', input: { a: 1 } }], end: 'completed' },
  },
  {
    says: 'a refusal after reasoning that ends in a bracket',
    frames: [chunk({ reasoning_content: `${BLOCK}[${BLOCK}` }), chunk({ refusal: 'No.' }), chunk({}, 'stop'), DONE],
    gives: { reasoning: `${BLOCK}[${BLOCK}`, calls: [], end: 'completed' },
  },
  {
    says: 'usage next to a text after the finish signal that is only a call',
    frames: [chunk({}, 'tool_calls'), chunk({ content: BLOCK }, null, { usage: { prompt_tokens: 1 } }), DONE],
    gives: { text: '', end: 'completed' },
  },
  {
    says: 'an empty piece under the new index of another call',
    frames: [
      chunk({ function_call: { name: 'add', arguments: '' } }),
      chunk({ tool_calls: [{ index: 0, function: { name: 'read_file' } }] }),
      chunk({ tool_calls: [{ index: 1, id: '' }] }),
      chunk({}, 'tool_calls'),
      DONE,
    ],
    gives: {
      calls: [
        { name: 'add', input: {} },
        { name: 'read_file', input: {} },
      ],
    },
  },
  {
    says: 'a choice that fails while the text of another one is held',
    frames: [{ choices: [{ index: 1, delta: { content: `<tool_call>${BLOCK}` } }, { finish_reason: 'error' }] }],
    gives: { text: `<tool_call>${BLOCK}`, calls: [], end: 'failed' },
  },
  {
    says: 'calls in reasoning with only a blank between them, and a connection that breaks off',
    frames: [chunk({ reasoning_content: BLOCK }), chunk({ reasoning_content: ` ${BLOCK}` })],
    gives: { reasoning: `${BLOCK} ${BLOCK}`, calls: [], end: 'failed' },
  },
  {
    says: 'details that repeat all of the reasoning',
    frames: [
      chunk({ reasoning_content: 'It may well rain today.' }),
      chunk({ reasoning_details: [{ text: 'It may well rain today.' }] }),
      chunk({}, 'stop'),
      DONE,
    ],
    gives: { reasoning: 'It may well rain today.', end: 'completed' },
  },
  {
    says: 'reasoning that repeats itself while a call in it is held',
    frames: [chunk({ reasoning_content: BLOCK }), chunk({ reasoning_content: `${BLOCK} Hm.` })],
    gives: { reasoning: `${BLOCK} Hm.`, calls: [], end: 'failed' },
  },
  {
    says: 'a call in reasoning that ends in a line break, and the same call again after a refusal',
    frames: [
      chunk({ reasoning_content: `${BLOCK}\n` }),
      chunk({ refusal: 'No.' }),
      chunk({ reasoning: BLOCK }),
      chunk({}, 'stop'),
      DONE,
    ],
    gives: { reasoning: `${BLOCK}\n${BLOCK}`, calls: [], end: 'completed' },
  },
  {
    says: 'calls in text after the finish signal that the end of the connection cuts off',
    frames: [chunk({ content: 'Hi' }), chunk({}, 'length'), chunk({ content: `${BLOCK}[${BLOCK}` })],
    gives: { calls: [], end: 'failed' },
  },
  {
    says: 'a call next to the same call in a text that the end of the connection cuts off',
    frames: [
      piece({ index: 0, id: 'a', function: { name: 'add', arguments: '{"a":1}' } }),
      chunk({ content: `[${BLOCK}` }),
    ],
    gives: { text: `[${BLOCK}`, calls: [{ name: 'add', input: { a: 1 } }], end: 'completed' },
  },
  {
    says: 'a call after the same call in the text, and a connection that ends there',
    frames: [
      chunk({ content: BLOCK }),
      piece({ index: 0, id: 'a', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }),
    ],
    gives: { text: '', calls: [{ name: 'add', input: { a: 1 } }], end: 'completed' },
  },
  {
    says: 'a second object in the arguments of the first of two calls, which is cut off',
    frames: [
      piece({ index: 0, id: 'a', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }),
      piece({ index: 1, id: 'b', type: 'function', function: { name: 'add', arguments: '{"a":2}' } }),
      piece({ index: 0, function: { arguments: '{"a":' } }),
      chunk({}, 'tool_calls'),
      DONE,
    ],
    gives: { calls: [], end: 'max_output_tokens' },
  },
  {
    says: 'long text that ends in two beginnings of calls',
    frames: [{ choices: [{ delta: { content: `${LONG}<tool_call><tool_call>` } }] }, DONE],
    gives: { text: `${LONG}<tool_call><tool_call>`, calls: [], end: 'completed' },
  },
  {
    says: 'reasoning between tags behind a call',
    frames: [chunk({ content: `${BLOCK}<think>hm</think>Rain` }), chunk({}, 'stop'), DONE],
    gives: { text: `${BLOCK}<think>hm</think>Rain`, reasoning: '', calls: [] },
  },
];

test.each(CASES)('$says', ({ frames, gives }) => {
  const data = frames.map((frame) => (typeof frame === 'string' ? frame : JSON.stringify(frame)));
  expect(repair(data)).toMatchObject(gives);
});

const PARTS = ['<tool_call>', '<tool', '<', BLOCK, '{"name":"add"', '[', '`', '\n', 'word '];

/** Generates text of which long parts are certain or undecided. */
const anyText = fc
  .array(fc.oneof(fc.nat(999).map(longText), fc.constantFrom(...PARTS)), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(''));

function longText(seed: number): string {
  return Array.from({ length: 80 }, (_, n) => `${seed}w${n}`).join('');
}

const anyDelta = fc.oneof(
  anyText.map((content) => ({ content })),
  fc.constantFrom({}, { refusal: 'No.' }),
);
/** Generates a chunk. Some servers leave the finish signal out until there is one. */
const anyChunk = fc.tuple(anyDelta, fc.boolean()).map(([delta, isShort]) => {
  return isShort ? JSON.stringify({ choices: [{ delta }] }) : chunk(delta);
});
const anyEnd = fc.constantFrom([], [DONE], [chunk({}, 'stop'), DONE], [chunk({}, 'length'), DONE]);

test('any texts, however long', () => {
  fc.assert(
    fc.property(fc.array(anyChunk, { maxLength: 8 }), anyEnd, (chunks, end) => void repair([...chunks, ...end])),
    { numRuns: runs(2000) },
  );
});
