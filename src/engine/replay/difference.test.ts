import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LogLine } from '../../base/log.ts';
import { difference } from './difference.ts';

const started = (digest: string): LogLine => ({
  type: 'oxbow',
  payload: { kind: 'request.started', request: 1, attempt: 0, digest },
});
const said = (text: string, metadata?: { queued: string }): LogLine => ({
  type: 'response_item',
  payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
  ...(metadata ? { metadata } : {}),
});
const ended = (ms: number, request = 1): LogLine => ({
  type: 'oxbow',
  payload: { kind: 'request.ended', request, ms },
});

describe('two lines', () => {
  test('differ at the path of the first difference', () => {
    expect(difference(started('a'), started('a'))).toBeUndefined();
    expect(difference(started('a'), started('b'))).toBe('payload.digest');
    expect(difference(started('a'), ended(1))).toBe('payload.kind');
    expect(difference(started('a'), said('a'))).toBe('type');
    expect(difference(said('a'), said('b'))).toBe('payload.content[0].text');
    expect(difference(said('a', { queued: '1' }), said('a'))).toBe('metadata');
  });

  test('may differ in time', () => {
    expect(difference(ended(1), ended(2))).toBeUndefined();
    expect(difference(ended(1, 1), ended(2, 2))).toBe('payload.request');
  });

  test('may differ in the order of keys, except for items', () => {
    const other: LogLine = { type: 'oxbow', payload: { digest: 'a', attempt: 0, request: 1, kind: 'request.started' } };
    expect(difference(started('a'), other)).toBeUndefined();
    const item: LogLine = {
      type: 'response_item',
      payload: { role: 'user', type: 'message', content: [{ type: 'input_text', text: 'a' }] },
    };
    expect(difference(said('a'), item)).toBe('payload');
  });

  test('are the same if one was written and read', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (reason, action) => {
        const line = {
          type: 'oxbow',
          payload: { kind: 'ask.opened', call_id: 'a', action, reason },
        } as unknown as LogLine;
        expect(difference(JSON.parse(JSON.stringify(line)) as LogLine, line)).toBeUndefined();
      }),
    );
  });
});
