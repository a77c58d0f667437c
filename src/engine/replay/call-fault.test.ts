import { expect, test } from 'vitest';
import type { Action } from '../../base/action.ts';
import type { LogLine, OxbowLine } from '../../base/log.ts';
import { callFault } from './call-fault.ts';
import type { RecordedLine } from './recorded-line.ts';

const output = { type: 'function_call_output', call_id: 'c', output: '' } as const;
const action: Action = { kind: 'view_image', path: '/a' } as unknown as Action;
const LINES = {
  started: { kind: 'call.started', call_id: 'c' },
  asked: { kind: 'ask.opened', call_id: 'c', action, reason: '', sandboxed: true },
  answered: { kind: 'ask.answered', call_id: 'c', answer: 'approved' },
  repaired: { kind: 'repair', call_id: 'c', id: 'argv', title: '', frame: null, before: '', after: '' },
  done: { kind: 'call.finished', output, metadata: { success: true, duration_ms: 1 } },
  failed: { kind: 'call.finished', output, metadata: { success: false, duration_ms: 1 } },
} satisfies Record<string, OxbowLine>;

/** Returns the number of the faulty line of a call with these lines, and the reason. */
function fault(...names: (keyof typeof LINES)[]): string | undefined {
  const lines = names.map((name, index): RecordedLine => {
    const line: LogLine = { type: 'oxbow', payload: LINES[name] };
    return { number: index + 1, ordinal: null, line };
  });
  return callFault({ lines, output: undefined })?.message;
}

test('the lines of any possible call have no fault', () => {
  expect(fault()).toBeUndefined();
  expect(fault('started', 'done')).toBeUndefined();
  expect(fault('asked', 'answered', 'repaired', 'started', 'done')).toBeUndefined();
  expect(fault('started', 'asked', 'answered', 'started', 'failed')).toBeUndefined();
  expect(fault('failed')).toBeUndefined();
  expect(fault('asked')).toBeUndefined();
});

test('lines in an impossible order are a fault', () => {
  expect(fault('done')).toBe('line 1 has the result of a call that never began');
  expect(fault('asked', 'started', 'answered', 'done')).toBe('line 2 comes before the answer to a question');
  expect(fault('answered', 'asked')).toBe('line 1 answers no question');
  expect(fault('asked', 'asked')).toBe('line 2 asks while a question is open');
  expect(fault('started', 'repaired')).toBe('line 2 repairs a call that has begun');
});

test('an output with success needs a started call', () => {
  const line: LogLine = { type: 'response_item', payload: output, metadata: { success: true, duration_ms: 1 } };
  expect(callFault({ lines: [], output: { number: 7, ordinal: null, line } })?.divergence.line).toBe(7);
});
