import { expect, test } from 'vitest';
import { call, called, done, repair, type Sent, said } from './fixtures/repair-lines.ts';

const CALL = { name: 'add', input: { a: 1 } };

const WORDS = 'One answer that grows by a word in each line'.split(' ');

interface Broken {
  readonly sent: readonly Sent[];
  readonly calls?: readonly unknown[];
  readonly text?: string;
  readonly reasoning?: string;
  readonly ids: readonly string[];
}

const BROKEN: Readonly<Record<string, Broken>> = {
  'arguments written as a text': { sent: [called(call('add', '{"a":1}')), done()], ids: ['I10'] },
  'a number as a text': { sent: [called(call('add', { a: '1' })), done()], ids: ['C10'] },
  'a call in the old form': { sent: [called({ name: 'add', arguments: { a: 1 } }), done()], ids: ['B13'] },
  'a call in the text': {
    sent: [
      said({ content: 'Let me add.\n<tool_call>{"name":"add",' }),
      said({ content: '"arguments":{"a":1}}</tool_call>' }),
      done(),
    ],
    text: 'Let me add.\n',
    ids: ['D1'],
  },
  'reasoning in the text': {
    sent: [said({ content: '<think>Hm.</think>' }), said({ content: 'Hi.' }), done()],
    calls: [],
    text: 'Hi.',
    reasoning: 'Hm.',
    ids: ['E2'],
  },
  'server-sent events': {
    sent: [`data: ${JSON.stringify(called(call('add', { a: 1 })))}`, `data: ${JSON.stringify(done())}`],
    ids: ['I11'],
  },
  'an error that says nothing': {
    sent: [
      said({ content: 'Hello' }, { error: null }),
      said({ content: ' you.' }, { error: null }),
      { ...done(), error: null },
    ],
    calls: [],
    text: 'Hello you.',
    ids: ['B12'],
  },
  'texts in which nothing can be read': {
    sent: [said({ content: {}, thinking: {}, tool_calls: 5 }), said({ content: 'Hi.' }), done()],
    calls: [],
    text: 'Hi.',
    ids: ['B12'],
  },
  'texts that repeat everything so far': {
    sent: [...WORDS.map((_, n) => said({ content: WORDS.slice(0, n + 1).join(' ') })), done()],
    calls: [],
    text: WORDS.join(' '),
    ids: ['I12'],
  },
};

test.each(Object.entries(BROKEN))('%s', (_, broken) => {
  const { calls, text, reasoning, end, ids } = repair(broken.sent);
  expect({ calls, text, reasoning, end, ids }).toEqual({
    calls: broken.calls ?? [CALL],
    text: broken.text ?? '',
    reasoning: broken.reasoning ?? '',
    end: 'stop',
    ids: broken.ids,
  });
});

test('an answer that does not say that it ended fails', () => {
  expect(repair([said({ content: 'Half of' })])).toMatchObject({ end: 'failed', calls: [] });
});
