import { expect, test } from 'vitest';
import type { ToolPayload } from '../../base/tool.ts';
import { coerceCall } from './perform.ts';

const call = (payload: ToolPayload) => ({ callId: 'c', name: 'n', payload });
const fitted = (payload: ToolPayload, ...accepts: ToolPayload['kind'][]) =>
  coerceCall(call(payload), { accepts })?.payload;

const local = { kind: 'local_shell', action: { type: 'exec', command: ['ls'] } } as const;

test('what the tool takes stays as it is', () => {
  const given = call({ kind: 'custom', input: '{}' });
  expect(coerceCall(given, { accepts: ['function', 'custom'] })).toBe(given);
});

test('a free text that is an object is the arguments of a function', () => {
  expect(fitted({ kind: 'custom', input: ' {"cmd":"ls"}' }, 'function')).toEqual({
    kind: 'function',
    arguments: ' {"cmd":"ls"}',
  });
});

test.each(['ls', '', '[1]', '"ls"', '{"cmd"'])('the free text %j is not', (input) => {
  expect(fitted({ kind: 'custom', input }, 'function')).toBeUndefined();
});

test('a function whose input is a text is a free text', () => {
  expect(fitted({ kind: 'function', arguments: '{"input":"a\\nb"}' }, 'custom')).toEqual({
    kind: 'custom',
    input: 'a\nb',
  });
  expect(fitted({ kind: 'function', arguments: '{"input":1}' }, 'custom')).toBeUndefined();
  expect(fitted({ kind: 'function', arguments: 'text' }, 'custom')).toBeUndefined();
});

test('a call of the shell of a server is nothing else', () => {
  expect(fitted(local, 'function', 'custom')).toBeUndefined();
  expect(fitted({ kind: 'function', arguments: '{}' }, 'local_shell')).toBeUndefined();
});
