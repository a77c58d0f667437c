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
const ran = (id: string, seconds: string) =>
  `Chunk ID: ${id}\nWall time: ${seconds} seconds\nProcess exited with code 0\nOutput:\nhi`;
const agents = (folder: string, text: string) =>
  `# AGENTS.md instructions for ${folder}\n\n<INSTRUCTIONS>\n${text}\n</INSTRUCTIONS>`;

describe('the same question', () => {
  test.each<[string, unknown, unknown]>([
    ['to the letter', body(user('hi'), call), body(user('hi'), call)],
    [
      'after the same output at another time',
      body(call, output(ran('a', '0.1'))),
      body(call, output(ran('b', '2.25'))),
    ],
    [
      'after an output that names another folder',
      body(user('<environment_context>\n  <cwd>/a/one</cwd>\n</environment_context>'), call, output('/a/one/file')),
      body(user('<environment_context>\n  <cwd>/b/two</cwd>\n</environment_context>'), call, output('/b/two/file')),
    ],
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
    [
      body(call, output('3 passed')),
      body(call, output('2 passed')),
      'item 2 of the input is function_call_output "2 passed", it was function_call_output "3 passed"',
    ],
    [
      { messages: [{ role: 'tool', content: 'a' }] },
      { messages: [{ role: 'tool', content: 'b' }] },
      'item 1 of the input is tool "b", it was tool "a"',
    ],
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

describe('messages of blocks', () => {
  const blocks = (args: object, result: string, text = 'go on') => ({
    model: 'm',
    messages: [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'a', name: 'shell', input: args },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: result },
          { type: 'text', text, cache_control: { type: 'ephemeral' } },
        ],
      },
    ],
  });
  const recorded = blocks({ name: 'a', cmd: 'ls' }, 'Wall time: 1.0 seconds\none');

  test('are compared block by block', () => {
    const same = blocks({ name: 'a', cmd: 'ls' }, 'Wall time: 2.5 seconds\none');
    expect(requestDifference(recorded, same)).toBeUndefined();
    expect(requestDifference(recorded, blocks({ name: 'a', cmd: 'pwd' }, 'one'))).toBe(
      'item 4 of the input is function_call shell "{\\"name\\":\\"a\\",\\"cmd\\":\\"pwd\\"}", it was function_call shell "{\\"name\\":\\"a\\",\\"cmd\\":\\"ls\\"}"',
    );
    expect(requestDifference(recorded, blocks({ name: 'a', cmd: 'ls' }, 'two'))).toMatch(
      /^item 5 of the input is tool "two", it was tool ".*one"$/s,
    );
    expect(requestDifference(recorded, blocks({ name: 'a', cmd: 'ls' }, 'one', 'stop'))).toMatch(/^item [56] /);
  });

  test('may differ in outputs and arguments, leniently', () => {
    expect(requestDifference(recorded, blocks({ cmd: 'pwd' }, 'two'), 'lenient')).toBeUndefined();
    expect(requestDifference(recorded, blocks({ cmd: 'pwd' }, 'two', 'stop'), 'lenient')).toBe(
      'item 6 of the input is user "stop", it was user "go on"',
    );
  });

  test('images of a message count', () => {
    const look = (image: string) => ({ model: 'm', messages: [{ role: 'user', content: 'look', images: [image] }] });
    expect(requestDifference(look('AAAA'), look('AAAA'))).toBeUndefined();
    expect(requestDifference(look('AAAA'), look('BBBB'))).toBe(
      'item 1 of the input is user "lookBBBB", it was user "lookAAAA"',
    );
  });
});

describe('leniently', () => {
  const developer = (text: string) => ({ ...user(text), role: 'developer' });
  const said = (text: string) => ({ ...user(text), role: 'assistant' });
  const context = user('<environment_context>\n<date>1</date>\n</environment_context>');
  const chat = (name: string, args: string) => ({
    model: 'm',
    messages: [
      { role: 'system', content: args },
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: args, tool_calls: [{ function: { name, arguments: args } }] },
      { role: 'tool', content: args },
    ],
  });

  test.each<[string, unknown, unknown]>([
    ['other instructions', body(developer('a'), user('hi')), body(developer('b'), developer('c'), user('hi'))],
    ['context that came or went', body(context, user('hi')), body(user('hi'))],
    ['other words of the model', body(user('hi'), said('a'), call), body(user('hi'), said('b'), call)],
    ['other arguments', body(call), body({ ...call, arguments: '{}' })],
    ['another output', body(call, output('a')), body(call, output('b'))],
    ['reasoning that came or went', body({ type: 'reasoning', summary: [] }, call), body(call)],
    ['on the other wire', chat('shell', 'a'), chat('shell', 'b')],
  ])('%s: the same question', (_, recorded, sent) => {
    expect(requestDifference(recorded, sent, 'lenient')).toBeUndefined();
    expect(requestDifference(recorded, sent)).not.toBeUndefined();
  });

  test.each<[unknown, unknown, string]>([
    [body(), { ...body(), model: 'n' }, 'the model is "n", it was "m"'],
    [body(developer('x'), user('hi')), body(user('ho')), 'item 1 of the input is user "ho", it was user "hi"'],
    [body(user('hi')), body(user('hi'), said('a')), 'the input has 2 items, it had 1'],
    [
      body(call),
      body({ ...call, name: 'exec' }),
      'item 1 of the input is function_call exec "", it was function_call shell ""',
    ],
    [chat('shell', ''), chat('exec', ''), 'item 3 of the input is assistant exec "", it was assistant shell ""'],
    [body(), { ...body(), tools: [] }, 'the tool "shell" is missing'],
  ])('%#: another question', (recorded, sent, difference) => {
    expect(requestDifference(recorded, sent, 'lenient')).toBe(difference);
  });
});
