import { expect, test } from 'vitest';
import type { ToolPayload } from '../../base/tool.ts';
import { coerceCall } from './perform.ts';

const call = (payload: ToolPayload) => ({ callId: 'c', name: 'n', payload });
const fitted = (payload: ToolPayload, ...accepts: ToolPayload['kind'][]) =>
  coerceCall(call(payload), { accepts })?.payload;

const local = { kind: 'local_shell', action: { type: 'exec', command: ['ls'] } } as const;

test('a call that the tool accepts stays as it is', () => {
  const given = call({ kind: 'custom', input: '{}' });
  expect(coerceCall(given, { accepts: ['function', 'custom'] })).toBe(given);
});

test('a free text that is a JSON object becomes the arguments of a function', () => {
  expect(fitted({ kind: 'custom', input: ' {"cmd":"ls"}' }, 'function')).toEqual({
    kind: 'function',
    arguments: ' {"cmd":"ls"}',
  });
});

test.each(['ls', '', '[1]', '"ls"', '{"cmd"'])('the free text %j does not become arguments', (input) => {
  expect(fitted({ kind: 'custom', input }, 'function')).toBeUndefined();
});

test('a function call whose input is a text becomes a free text', () => {
  expect(fitted({ kind: 'function', arguments: '{"input":"a\\nb"}' }, 'custom')).toEqual({
    kind: 'custom',
    input: 'a\nb',
  });
  expect(fitted({ kind: 'function', arguments: '{"input":1}' }, 'custom')).toBeUndefined();
  expect(fitted({ kind: 'function', arguments: 'text' }, 'custom')).toBeUndefined();
});

test('a local shell call is not converted', () => {
  expect(fitted(local, 'function', 'custom')).toBeUndefined();
  expect(fitted({ kind: 'function', arguments: '{}' }, 'local_shell')).toBeUndefined();
});
