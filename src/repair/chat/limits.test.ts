import { expect, test } from 'vitest';
import { MAX_TEXT_CHARS } from '../limits.ts';
import { chunk, DONE, repairOnce } from './fixtures/repair-frames.ts';

const MiB = 1024 * 1024;

test.each(['content', 'reasoning_content', 'refusal'])('too much text in %s ends the response', (field) => {
  const pieces = (count: number) =>
    Array.from({ length: count }, (_, n) => chunk({ [field]: `${n}`.padEnd(MiB, ' word') }));
  const fits = repairOnce([...pieces(16), chunk({}, 'stop'), DONE]);
  expect(fits.end).toBe('completed');
  const { end, error } = repairOnce([...pieces(17), chunk({}, 'stop'), DONE]);
  expect({ end, error }).toEqual({
    end: 'failed',
    error: {
      code: 'invalid_response',
      message: expect.stringMatching(/more than 16777216 characters of text in one answer/),
    },
  });
});

test('too much text in a whole answer ends the response', () => {
  const message = { role: 'assistant', content: 'x'.repeat(MAX_TEXT_CHARS + 1) };
  const body = { id: 'r1', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] };
  expect(repairOnce([JSON.stringify(body)]).end).toBe('failed');
});
