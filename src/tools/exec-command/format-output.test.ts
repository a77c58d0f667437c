import { expect, test } from 'vitest';
import { formatOutput } from './format-output.ts';

const options = {
  chunkId: '0a1b2c',
  terminalId: 4711,
  limit: { unit: 'tokens', limit: 10_000 },
  maxOutputTokens: undefined,
} as const;

test('a process that has ended', () => {
  expect(formatOutput({ text: 'hi\n', waitedMs: 52, exitCode: 0 }, options)).toBe(
    'Chunk ID: 0a1b2c\nWall time: 0.0520 seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\nhi\n',
  );
});

test('a process that is still running, without output', () => {
  expect(formatOutput({ text: '', waitedMs: 10_000, exitCode: null }, options)).toBe(
    'Chunk ID: 0a1b2c\nWall time: 10.0000 seconds\nProcess running with session ID 4711\nOriginal token count: 0\nOutput:\n',
  );
});

test('the smaller of the two limits counts', () => {
  const text = 'x'.repeat(1000);
  const asked = formatOutput({ text, waitedMs: 0, exitCode: 0 }, { ...options, maxOutputTokens: 10 });
  expect(asked).toContain('Original token count: 250');
  expect(asked).toContain(`${'x'.repeat(20)}…240 tokens truncated…${'x'.repeat(20)}`);
  const limited = { ...options, limit: { unit: 'bytes', limit: 100 }, maxOutputTokens: 9999 } as const;
  expect(formatOutput({ text, waitedMs: 0, exitCode: 0 }, limited)).toContain('…900 chars truncated…');
});
