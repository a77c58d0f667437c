import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLiveOutput } from './live-output.ts';

test('the first piece goes out at once, the next ones together', async () => {
  const pieces: string[] = [];
  const live = createLiveOutput((text) => pieces.push(text));
  live.push(Buffer.from('a'));
  expect(pieces).toEqual(['a']);
  live.push(Buffer.from('b'));
  live.push(Buffer.from('c'));
  expect(pieces).toEqual(['a']);
  while (pieces.length < 2) await delay(5);
  expect(pieces).toEqual(['a', 'bc']);
  live.end();
  expect(pieces).toEqual(['a', 'bc']);
});

test('the end passes on text that is held back, even half a character', () => {
  const pieces: string[] = [];
  const live = createLiveOutput((text) => pieces.push(text));
  live.push(Buffer.from('a'));
  live.push(Buffer.from([0x62, 0xe2, 0x82]));
  live.end();
  expect(pieces).toEqual(['a', 'b\ufffd']);
});

test('characters that arrive in two pieces are emitted whole', () => {
  const pieces: string[] = [];
  const live = createLiveOutput((text) => pieces.push(text));
  for (const byte of Buffer.from('€')) live.push(Buffer.from([byte]));
  live.end();
  expect(pieces).toEqual(['€']);
});

test('output stops at the limit, in whole characters', () => {
  for (const [limit, expected] of [
    [4, 'a€'],
    [3, 'a'],
    [1, 'a'],
  ] as const) {
    let text = '';
    const live = createLiveOutput((piece) => {
      text += piece;
    }, limit);
    for (let n = 0; n < 10; n++) live.push(Buffer.from('a€€'));
    live.end();
    expect(text).toBe(expected);
  }
});

test('replacement characters count with their own bytes', () => {
  let text = '';
  const live = createLiveOutput((piece) => {
    text += piece;
  }, 7);
  live.push(Buffer.from([0xff, 0xff, 0xff, 0xff]));
  live.push(Buffer.from('a'));
  live.end();
  expect(text).toBe('\ufffd\ufffd');
});
