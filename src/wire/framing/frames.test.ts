import { expect, test } from 'vitest';
import { frameValue, madeFrame, withValue } from './frames.ts';

test('a made frame has the text of its value', () => {
  expect(madeFrame({ a: [1] }).data).toBe('{"a":[1]}');
  expect('event' in madeFrame({})).toBe(false);
  expect(madeFrame({}, 'error').event).toBe('error');
});

test('the value of a frame is parsed once', () => {
  const frame = { event: 'e', data: '{"a":1}' };
  const value = frameValue(frame);
  const seen = withValue(frame, value);
  expect(seen).toEqual({ ...frame, json: { a: 1 } });
  expect(frameValue(seen)).toBe(value);
  for (const data of ['no JSON', '{no JSON', '[DONE]', '[]', '7', 'null', ''])
    expect(frameValue({ data })).toBeUndefined();
  expect(frameValue({ data: ' \n{}' })).toEqual({});
});
