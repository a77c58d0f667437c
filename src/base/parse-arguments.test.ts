import { expect, test } from 'vitest';
import { ToolFailure } from './errors.ts';
import { parseArguments } from './parse-arguments.ts';
import type { ToolCall } from './tool.ts';

const schema = {
  type: 'object',
  properties: { cmd: { type: 'string' }, count: { type: 'number' } },
  required: ['cmd'],
  additionalProperties: false,
} as const;

const call = (text: string): ToolCall => ({ callId: 'c', name: 't', payload: { kind: 'function', arguments: text } });

test('arguments are typed, and fields that are null are left out', () => {
  const { cmd, count } = parseArguments(call('{"cmd":"ls","count":null,"invented":1}'), schema);
  expect([cmd.toUpperCase(), count]).toEqual(['LS', undefined]);
});

test.each([
  [
    '{"cmd":5,"count":"x"}',
    'invalid type for `cmd`: expected string, got number; invalid type for `count`: expected number, got string',
  ],
  ['{}', 'missing field `cmd`'],
  ['null', 'invalid type: expected object, got null'],
])('%s: %s', (text, fault) => {
  const failure = new ToolFailure('parse', `failed to parse function arguments: ${fault}`);
  expect(() => parseArguments(call(text), schema)).toThrow(failure);
});

test('arguments that are not JSON, and calls that are not function calls, are faults', () => {
  expect(() => parseArguments(call('ls -l'), schema)).toThrow(/^failed to parse function arguments: .*JSON/);
  const custom: ToolCall = { callId: 'c', name: 't', payload: { kind: 'custom', input: 'x' } };
  expect(() => parseArguments(custom, schema)).toThrow('failed to parse function arguments: t takes a function call');
});
