import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../base/model.ts';
import { wholeText } from '../../base/request-text.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { DEFAULT_COMPAT } from '../../base/wire.ts';
import { REQUEST } from '../fixtures/conformance.ts';
import { encodeRequest } from './encode-request.ts';

const bodyOf = (fields: Partial<ModelRequest> = {}) =>
  JSON.parse(wholeText(encodeRequest({ ...REQUEST, ...fields }, DEFAULT_COMPAT)));

test('a request has messages, tools and a stream, and forbids that its prompt is cut', () => {
  expect(bodyOf()).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ],
    tools: [{ type: 'function', function: { name: 'look', description: 'Looks.', parameters: {} } }],
    stream: true,
    truncate: false,
  });
});

test.each([
  [undefined, undefined],
  ['none', false],
  ['minimal', 'low'],
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'high'],
  ['max', 'max'],
  ['a lot', true],
])('the effort %s is sent as %s', (effort, think) => {
  expect(bodyOf({ reasoning: effort === undefined ? {} : { effort } }).think).toBe(think);
});

test('the format of the answer is a schema, or any object', () => {
  const schema = { type: 'object', properties: {} };
  expect(bodyOf({ text: { schema: { name: 'x', strict: true, schema } } }).format).toEqual(schema);
  expect(bodyOf({ text: { schema: { name: 'x', strict: false, schema, anyObject: true } } }).format).toBe('json');
  expect(bodyOf({ text: { verbosity: 'low' } })).not.toHaveProperty('format');
});

test('sampling settings are options, without those that the wire does not have', () => {
  const sampling = {
    temperature: 0.5,
    topP: 0.9,
    maxOutputTokens: 100,
    stop: ['END'],
    seed: 7,
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
    user: 'u',
  };
  expect(bodyOf({ sampling }).options).toEqual({
    temperature: 0.5,
    top_p: 0.9,
    num_predict: 100,
    stop: ['END'],
    seed: 7,
    presence_penalty: 0.1,
    frequency_penalty: 0.2,
  });
  expect(bodyOf({ sampling: { user: 'u' } })).not.toHaveProperty('options');
});

describe('tools', () => {
  const tools = [
    { type: 'function', name: 'look', description: 'Looks.', strict: true, parameters: { type: 'object' } },
    { type: 'custom', name: 'patch', description: 'Patches.' },
    { type: 'namespace', name: 'docs', tools: [{ type: 'function', name: 'find', description: 'Finds.' }] },
    { type: 'web_search' },
  ] as unknown as ToolSpec[];
  const namesOf = (fields: Partial<ModelRequest>) =>
    bodyOf({ tools, ...fields }).tools?.map((tool: { function: { name: string } }) => tool.function.name);

  test('are sent as functions', () => {
    expect(namesOf({})).toEqual(['look', 'patch', 'docs__find']);
    expect(bodyOf({ tools }).tools[1].function.parameters).toMatchObject({ required: ['input'] });
    expect(bodyOf({ tools: [] })).not.toHaveProperty('tools');
  });

  test('are left out where they may not be called', () => {
    expect(namesOf({ toolChoice: 'none' })).toBeUndefined();
    expect(namesOf({ toolChoice: 'required' })).toEqual(['look', 'patch', 'docs__find']);
    expect(namesOf({ toolChoice: { type: 'custom', name: 'patch' } })).toEqual(['patch']);
    expect(namesOf({ toolChoice: { type: 'function', name: 'find' } })).toEqual(['docs__find']);
    expect(namesOf({ toolChoice: { type: 'function', name: 'other' } })).toBeUndefined();
  });
});
