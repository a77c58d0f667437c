import { expect, test } from 'vitest';
import { type Remedy, UserError } from '../base/errors.ts';
import { worded, wordedEvent, wordedMessage } from './wording.ts';

test.each<[Remedy, string]>([
  [{ type: 'fork_thread', thread: 'T' }, 'Why. To copy it: oxbow exec fork T'],
  [{ type: 'unarchive_thread', thread: 'T' }, 'Why. To unarchive it: oxbow threads unarchive T'],
  [{ type: 'choose_port' }, 'Why. Choose another one with --port, or let --port 0 pick a free one.'],
  [{ type: 'keep_no_record' }, 'Why. --ephemeral keeps no record.'],
])('an error with the way out %j', (remedy, words) => {
  const error = new UserError('storage', 'Why.', { remedy });
  expect(worded(error)).toBe(words);
  expect(wordedMessage(error)).toBe(words);
});

test('an error without a remedy keeps its message', () => {
  expect(wordedMessage(new UserError('not_found', 'Why.'))).toBe('Why.');
  expect(wordedMessage(new Error('A bug.'))).toBe('A bug.');
  expect(wordedMessage('thrown')).toBe('thrown');
});

test('a limit is shown with its flag', () => {
  const meta = { v: 1, threadId: 't', turnId: null, seq: 1 } as const;
  const error = { code: 'limit', message: 'The limit of 3 requests was reached.' } as const;
  const event = { ...meta, type: 'turn.failed', error: { ...error, limit: { kind: 'requests', value: 3 } } } as const;
  const message = 'The limit of 3 requests was reached. It is set by --max-requests.';
  expect(wordedEvent(event)).toMatchObject({ error: { message } });
  expect(wordedMessage(event.error)).toBe(message);
});
