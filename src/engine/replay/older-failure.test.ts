import { expect, test } from 'vitest';
import type { LogLine, OxbowLine } from '../../base/log.ts';
import { readOlderFailure } from './older-failure.ts';

type TurnFailed = Extract<OxbowLine, { readonly kind: 'turn.failed' }>;

const failed = (fields: Omit<TurnFailed, 'kind' | 'turn_id'>): LogLine => ({
  type: 'oxbow',
  payload: { kind: 'turn.failed', turn_id: 't', ...fields },
});
const OF_COMPACTION = 'The thread could not be compacted and was left as it was: ';

test.each([
  [
    { code: 'limit', message: 'The limit of 3 requests was reached (--max-requests).' },
    { message: 'The limit of 3 requests was reached.', limit: { kind: 'requests', value: 3 } },
  ],
  [
    { code: 'limit', message: 'The limit of 100 tokens was reached: 120 used (--max-tokens).' },
    { message: 'The limit of 100 tokens was reached: 120 used.', limit: { kind: 'tokens', value: 100 } },
  ],
  [
    { code: 'limit', message: 'The limit of $1e-7 was reached: $0.0020 spent (--max-cost).' },
    { message: 'The limit of $1e-7 was reached: $0.0020 spent.', limit: { kind: 'cost', value: 1e-7 } },
  ],
  [
    { code: 'limit', message: 'The time limit of 0.5 seconds was reached (--timeout).' },
    { message: 'The time limit of 0.5 seconds was reached (--timeout).', limit: { kind: 'time', value: 500 } },
  ],
  [
    { code: 'incomplete', message: "The model's response was cut off: max_output_tokens." },
    { cut_off: 'max_output_tokens' },
  ],
  [
    { code: 'incomplete', message: `${OF_COMPACTION}The model's summary was cut off: content_filter.` },
    { cut_off: 'content_filter', said: "The model's summary was cut off: content_filter." },
  ],
  [{ code: 'server_error', message: `${OF_COMPACTION}The server failed.` }, { said: 'The server failed.' }],
])('a failure with its facts only in words: %j', (failure, facts) => {
  expect(readOlderFailure(failed(failure))).toEqual(failed({ ...failure, ...facts } as TurnFailed));
});

test.each([
  failed({ code: 'limit', message: 'The limit of 3 requests was reached.', limit: { kind: 'requests', value: 3 } }),
  failed({ code: 'incomplete', message: 'x was cut off: y.', cut_off: 'z' }),
  failed({ code: 'server_error', message: 'The server failed.' }),
  { type: 'event_msg', payload: { type: 'task_started', turn_id: 't' } } as const,
])('a complete line stays as it is: %j', (line) => {
  expect(readOlderFailure(line)).toEqual(line);
});
