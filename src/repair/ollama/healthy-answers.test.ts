import { describe, expect, test } from 'vitest';
import { call, called, done, repair, type Sent, said } from './fixtures/repair-lines.ts';

const HEALTHY: Readonly<Record<string, readonly Sent[]>> = {
  'a text': [said({ content: 'Hello' }), said({ content: ' world' }), said({ content: '.' }), done()],
  'a text whose second piece begins like the first': [
    said({ content: 'Ha' }),
    said({ content: 'Haha' }),
    said({ content: ' no.' }),
    done(),
  ],
  'a text that ends in doubt': [said({ content: 'Ha' }), said({ content: 'Haha' }), done()],
  'a whole answer in one line': [{ ...done(), message: { role: 'assistant', content: 'Hi.', thinking: 'Hm.' } }],
  'a whole answer with a call': [
    { ...done(), message: { role: 'assistant', content: '', tool_calls: [call('add', { a: 1 })] } },
  ],
  'thinking, a text and two calls': [
    said({ thinking: 'Hm' }),
    said({ thinking: '.' }),
    said({ content: 'Let me look.' }),
    called(call('add', { a: 1 }, { id: 'call_1' }), call('get_weather', { city: 'Oslo' }, { id: 'call_2' })),
    done(),
  ],
  'calls without ids in lines of their own': [called(call('now', {})), called(call('now', {})), done()],
  'everything in one line': [said({ content: 'Hi.', thinking: 'Hm.', tool_calls: [call('add', { a: 1 })] }), done()],
  'no reason': [said({ content: 'Hi' }), { ...done(), done_reason: undefined }],
  'a limit': [said({ content: 'Hi' }), done('length')],
  'a limit after a call': [called(call('add', { a: 1 })), done('length')],
  'a load': [done('load')],
  'an unknown tool': [called(call('other_tool', { x: 1 })), done()],
  'an error': [said({ content: 'Hi' }), { error: 'model runner has unexpectedly stopped' }],
  'a prompt': [
    { model: 'm', created_at: 'x', response: 'Hi', done: false },
    { model: 'm', created_at: 'x', response: '.', done: false },
    { model: 'm', created_at: 'x', response: '', done: true, done_reason: 'stop', context: [1] },
  ],
  'arguments that are not JSON': [called(call('add', 'one and two')), done()],
  'text that quotes a call': [
    said({ content: 'Write <tool_' }),
    said({ content: 'call>{"name":"add"} and' }),
    said({ content: ' so on.' }),
    done(),
  ],
};

describe('a healthy answer passes unchanged', () => {
  test.each(Object.entries(HEALTHY))('%s', (_, sent) => {
    const { data, repairs } = repair(sent);
    expect(repairs).toEqual([]);
    expect(data).toEqual(sent.map((line) => JSON.stringify(line)));
  });
});
