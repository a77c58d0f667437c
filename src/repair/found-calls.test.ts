import { describe, expect, test } from 'vitest';
import { callSignature, countingBlocks, isTwin, signaturesIn } from './found-calls.ts';
import type { CallSegment } from './text/segment.ts';

const block = (name: string, input = '{}', kind: CallSegment['kind'] = 'tag'): CallSegment => ({
  type: 'calls',
  id: 'D1',
  kind,
  calls: [{ name, arguments: input }],
  within: 'text',
  raw: name,
  text: name,
});

describe('blocks that count', () => {
  const A = block('a');
  const B = block('b');
  const FOUND = { inText: [], inReasoning: [], hasCalls: false, hasAnswer: false };

  test('blocks in the text', () => {
    expect(countingBlocks({ ...FOUND, inText: [A], hasAnswer: true })).toEqual([A]);
  });

  test('no block next to calls in the form of the wire', () => {
    expect(countingBlocks({ ...FOUND, inText: [A], inReasoning: [B], hasCalls: true })).toEqual([]);
  });

  test('blocks in reasoning only where the response has nothing else', () => {
    expect(countingBlocks({ ...FOUND, inReasoning: [A, B] })).toEqual([A, B]);
    expect(countingBlocks({ ...FOUND, inReasoning: [A], hasAnswer: true })).toEqual([]);
    expect(countingBlocks({ ...FOUND, inReasoning: [A], inText: [B] })).toEqual([B]);
  });
});

describe('calls that are the same', () => {
  test('in any order of fields and with any white space', () => {
    const known = signaturesIn([block('a', '{"x":{"b":1,"a":[2]},"y":0}')]);
    expect(isTwin(block('a', '{ "y": 0, "x": {"a":[2],"b":1} }'), known)).toBe(true);
    expect(isTwin(block('a', '{"x":{"b":1,"a":[3]},"y":0}'), known)).toBe(false);
    expect(isTwin(block('b', '{"x":{"b":1,"a":[2]},"y":0}'), known)).toBe(false);
  });

  test('a block is a twin only if all of its calls are known', () => {
    const both = { calls: [...block('a').calls, ...block('b').calls] };
    expect(isTwin(both, signaturesIn([block('a')]))).toBe(false);
    expect(isTwin(both, signaturesIn([block('a'), block('b')]))).toBe(true);
  });

  test('an input that is not JSON, or is nested too deep, is compared as it is', () => {
    expect(callSignature('a', 'ls -l')).toBe(callSignature('a', 'ls -l'));
    expect(callSignature('a', 'ls -l')).not.toBe(callSignature('a', 'ls'));
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(callSignature('a', deep)).toBe(JSON.stringify(['a', deep]));
  });
});
