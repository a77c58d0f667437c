import { describe, expect, test } from 'vitest';
import { requestDifference } from './request-difference.ts';

const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const body = (...input: unknown[]) => ({
  model: 'm',
  instructions: 'i',
  input,
  tools: [{ type: 'function', name: 'shell' }],
});
const call = { type: 'function_call', call_id: 'c1', name: 'shell', arguments: '{"command":["ls"]}' };
const output = (text: string) => ({ type: 'function_call_output', call_id: 'c1', output: text });
const agents = (folder: string, text: string) =>
  `# AGENTS.md instructions for ${folder}\n\n<INSTRUCTIONS>\n${text}\n</INSTRUCTIONS>`;

describe('the same question', () => {
  test.each<[string, unknown, unknown]>([
    ['to the letter', body(user('hi'), call), body(user('hi'), call)],
    ['after another output', body(call, output('took 1 s')), body(call, output('took 2 s'))],
    [
      'on another day',
      body(user('<environment_context>\n<date>1</date>\n</environment_context>'), user('hi')),
      body(user('<environment_context>\n<date>2</date>\n</environment_context>'), user('hi')),
    ],
    [
      'in another folder',
      body(
        user('<permissions instructions>\nIn /a.\n</permissions instructions>'),
        user(agents('/a', 'x')),
        user('hi'),
      ),
      body(
        user('<permissions instructions>\nIn /b.\n</permissions instructions>'),
        user(agents('/b', 'y')),
        user('hi'),
      ),
    ],
    [
      'with other ids and settings',
      { ...body(user('hi')), prompt_cache_key: 'a' },
      { ...body(user('hi')), store: true },
    ],
    ['where a secret stood', body(user('the key [redacted] is mine')), body(user('the key sk-1 is mine'))],
    ['where two secrets stood', body(user('[redacted]-[redacted]!')), body(user('a-b-c!'))],
    ['on another wire', { messages: [{ role: 'tool', content: 'a' }] }, { messages: [{ role: 'tool', content: 'b' }] }],
    ['not as JSON', 'plain [redacted]', 'plain text'],
  ])('%s', (_, recorded, sent) => {
    expect(requestDifference(recorded, sent)).toBeUndefined();
  });
});

describe('a different question yields its first difference', () => {
  test.each<[unknown, unknown, string]>([
    [body(), { ...body(), model: 'n' }, 'the model is "n", it was "m"'],
    [body(user('hi')), body(user('ho')), 'item 1 of the input is user "ho", it was user "hi"'],
    [body(user('[redacted] x')), body(user('a y')), 'item 1 of the input is user "a y", it was user "[redacted] x"'],
    [
      body(user('a'), call),
      body(user('a'), { ...call, name: 'exec' }),
      `item 2 of the input is function_call exec ${JSON.stringify(call.arguments)}, it was function_call shell ${JSON.stringify(call.arguments)}`,
    ],
    [body(user('a')), body(user('a'), user('b')), 'the input has 2 items, it had 1'],
    [body(), { ...body(), tools: [] }, 'the tool "shell" is missing'],
    [{ ...body(), tools: [] }, { ...body(), tools: [{ type: 'web_search' }] }, 'the tool "web_search" is new'],
    [
      { model: 'm', tools: [] },
      { model: 'm', tools: [{ type: 'function', function: { name: 'read' } }] },
      'the tool "read" is new',
    ],
    [{ input: 'a' }, { input: 'b' }, 'item 1 of the input is user "b", it was user "a"'],
    [
      { messages: [{ role: 'assistant', content: null, tool_calls: [{ function: { name: 'a', arguments: '{}' } }] }] },
      { messages: [{ role: 'assistant', content: null, tool_calls: [{ function: { name: 'b', arguments: '{}' } }] }] },
      'item 1 of the input is assistant "b{}", it was assistant "a{}"',
    ],
    ['plain', 'other', 'the body is another one'],
    [{ model: 'm' }, 'plain', 'the body is another one'],
  ])('%#', (recorded, sent, difference) => {
    expect(requestDifference(recorded, sent)).toBe(difference);
  });

  test('a long text is shown around the first difference', () => {
    const long = 'x'.repeat(500);
    expect(requestDifference(body(user(`${long}a${long}`)), body(user(`${long}b${long}`)))).toBe(
      `item 1 of the input is user "…${'x'.repeat(20)}b${'x'.repeat(39)}…", it was user "…${'x'.repeat(20)}a${'x'.repeat(39)}…"`,
    );
  });
});
