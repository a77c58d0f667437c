import { expect, test } from 'vitest';
import { chunk, DONE, piece, type RepairedChat, repair } from './fixtures/repair-frames.ts';

const BLOCK = '<tool_call>{"name":"add","arguments":{"a":1}}</tool_call>';

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
    frames: [{ choices: [{ delta: { content: BLOCK } }, { index: 1, delta: { refusal: 'No.' } }] }],
    gives: { calls: [{ name: 'add', input: { a: 1 } }], end: 'completed' },
  },
  {
    says: 'a refusal behind reasoning that a bracket ends',
    frames: [chunk({ reasoning_content: `${BLOCK}[${BLOCK}` }), chunk({ refusal: 'No.' }), chunk({}, 'stop'), DONE],
    gives: { reasoning: `${BLOCK}[${BLOCK}`, calls: [], end: 'completed' },
  },
  {
    says: 'usage beside a text behind the finish signal that is nothing but a call',
    frames: [chunk({}, 'tool_calls'), chunk({ content: BLOCK }, null, { usage: { prompt_tokens: 1 } }), DONE],
    gives: { text: '', end: 'completed' },
  },
  {
    says: 'an empty piece under the index that another call was given',
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
    says: 'calls in reasoning that only a blank separates, and a connection that breaks off',
    frames: [chunk({ reasoning_content: BLOCK }), chunk({ reasoning_content: ` ${BLOCK}` })],
    gives: { reasoning: `${BLOCK} ${BLOCK}`, calls: [], end: 'failed' },
  },
  {
    says: 'details that say all of the reasoning again',
    frames: [
      chunk({ reasoning_content: 'It may well rain today.' }),
      chunk({ reasoning_details: [{ text: 'It may well rain today.' }] }),
      chunk({}, 'stop'),
      DONE,
    ],
    gives: { reasoning: 'It may well rain today.', end: 'completed' },
  },
  {
    says: 'reasoning that says all of it again while a call in it is held',
    frames: [chunk({ reasoning_content: BLOCK }), chunk({ reasoning_content: `${BLOCK} Hm.` })],
    gives: { reasoning: `${BLOCK} Hm.`, calls: [], end: 'failed' },
  },
  {
    says: 'a call in reasoning that a line break ends, and the same call again behind a refusal',
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
    says: 'calls in text behind the finish signal that the end of the connection tears',
    frames: [chunk({ content: 'Hi' }), chunk({}, 'length'), chunk({ content: `${BLOCK}[${BLOCK}` })],
    gives: { calls: [], end: 'failed' },
  },
  {
    says: 'a call beside the same call in a text that the end of the connection tears',
    frames: [
      piece({ index: 0, id: 'a', function: { name: 'add', arguments: '{"a":1}' } }),
      chunk({ content: `[${BLOCK}` }),
    ],
    gives: { text: '[', calls: [{ name: 'add', input: { a: 1 } }], end: 'completed' },
  },
  {
    says: 'reasoning between tags behind a call',
    frames: [chunk({ content: `${BLOCK}<think>hm</think>Rain` }), chunk({}, 'stop'), DONE],
    gives: { text: 'Rain', reasoning: 'hm', calls: [{ name: 'add', input: { a: 1 } }] },
  },
];

test.each(CASES)('$says', ({ frames, gives }) => {
  const data = frames.map((frame) => (typeof frame === 'string' ? frame : JSON.stringify(frame)));
  expect(repair(data)).toMatchObject(gives);
});
