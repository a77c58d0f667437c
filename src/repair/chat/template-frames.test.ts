import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTemplateFrames } from './template-frames.ts';

const chunk = (content: string, more: object = {}) => ({
  id: 'c1',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...more,
});

function taught(value: object, text = JSON.stringify(value)) {
  const frames = createTemplateFrames();
  frames.learn(text, JSON.parse(text));
  return frames;
}

describe('createTemplateFrames', () => {
  test('reads a frame that differs in its text only, however JSON is spaced', () => {
    const next = JSON.stringify(chunk(' world'));
    expect(taught(chunk('Hello')).read(next)?.json).toEqual(chunk(' world'));
    const spaced = (text: string) => text.replaceAll('":', '": ').replaceAll(',"', ', "');
    const frames = taught(chunk('Hello'), spaced(JSON.stringify(chunk('Hello'))));
    expect(frames.read(spaced(next))?.json).toEqual(chunk(' world'));
    expect(frames.read(next)).toBeUndefined();
  });

  test('leaves frames that are written in another way to the parser', () => {
    const frames = taught(chunk('Hello'));
    for (const other of [
      chunk('a "word"'),
      chunk('a line\n'),
      chunk('x', { usage: {} }),
      { error: 'no' },
      { ...chunk('x'), id: 'c2' },
    ]) {
      expect(frames.read(JSON.stringify(other))).toBeUndefined();
    }
    expect(frames.read(JSON.stringify(chunk('x')).replace('x', '\u0001'))).toBeUndefined();
    expect(frames.read('[DONE]')).toBeUndefined();
  });

  test('is not misled by a text that stands elsewhere', () => {
    const other = { content: 'Hello', choices: [{ index: 0, delta: { content: 'Hello' } }] };
    expect(taught(other).read(JSON.stringify({ ...other, content: 'Bye' }))).toBeUndefined();
    const escaped = JSON.stringify(chunk('Hello')).replace('Hello', '\\u0048ello');
    expect(taught(chunk('Hello'), escaped).read(JSON.stringify(chunk('x')))).toBeUndefined();
  });

  test('gives up on a server that writes different fields into each frame', () => {
    const frames = createTemplateFrames();
    const teach = (n: number) => frames.learn(JSON.stringify(chunk('x', { n })), chunk('x', { n }));
    for (let n = 0; n < 10; n++) teach(n);
    expect(frames.read(JSON.stringify(chunk('y', { n: 9 })))).toBeUndefined();
    expect(frames.read(JSON.stringify(chunk('y', { n: 3 })))?.json).toEqual(chunk('y', { n: 3 }));
    teach(11);
    expect(frames.read(JSON.stringify(chunk('y', { n: 11 })))?.json).toEqual(chunk('y', { n: 11 }));
  });

  test('reads any frame like the parser, or not at all', () => {
    const delta = fc.dictionary(fc.constantFrom('content', 'role', 'x'), fc.oneof(fc.string(), fc.constant(null)));
    const value = fc.record({
      id: fc.constantFrom('a', 'b'),
      choices: fc.array(fc.record({ delta }), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(value), (list) => {
        const frames = createTemplateFrames();
        for (const one of list) {
          const text = JSON.stringify(one);
          const read = frames.read(text);
          if (read !== undefined) expect(JSON.stringify(read.json)).toBe(text);
          else frames.learn(text, JSON.parse(text));
        }
      }),
    );
  });
});
