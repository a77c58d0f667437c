import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import { createTemplateFrames, type TemplateShape } from './template-frames.ts';

const chunk = (content: string, more: object = {}) => ({
  id: 'c1',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...more,
});

const CONTENT: TemplateShape = { gaps: [{ field: 'choices', inner: [0, 'delta', 'content'], type: 'text' }] };

const SEVERAL: TemplateShape = {
  gaps: [
    { field: 'delta', inner: [], type: 'text' },
    { field: 'sequence_number', inner: [], type: 'number' },
    { field: 'obfuscation', inner: [], type: 'text' },
  ],
};

function taught(value: object, text = JSON.stringify(value)) {
  const frames = createTemplateFrames(CONTENT);
  frames.learn({ data: text }, JSON.parse(text));
  return { ...frames, read: (data: string) => frames.read({ data }) };
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
    const templates = createTemplateFrames(CONTENT);
    const frames = { ...templates, read: (data: string) => templates.read({ data }) };
    const teach = (n: number) => frames.learn({ data: JSON.stringify(chunk('x', { n })) }, chunk('x', { n }));
    for (let n = 0; n < 10; n++) teach(n);
    expect(frames.read(JSON.stringify(chunk('y', { n: 9 })))).toBeUndefined();
    expect(frames.read(JSON.stringify(chunk('y', { n: 3 })))?.json).toEqual(chunk('y', { n: 3 }));
    teach(11);
    expect(frames.read(JSON.stringify(chunk('y', { n: 11 })))?.json).toEqual(chunk('y', { n: 11 }));
  });

  test('reads frames that differ in several values', () => {
    const event = (delta: string, sequence_number: number, obfuscation?: string) => ({
      type: 't',
      delta,
      item_id: 'i',
      ...(obfuscation !== undefined && { obfuscation }),
      sequence_number,
    });
    const teach = (value: object) => {
      const frames = createTemplateFrames(SEVERAL);
      frames.learn({ event: 't', data: JSON.stringify(value) }, JSON.parse(JSON.stringify(value)));
      return (one: object, name = 't') => frames.read({ event: name, data: JSON.stringify(one) });
    };
    const read = teach(event('Hello', 9, 'xy'));
    expect(read(event(' world', 10, ''))).toMatchObject({ text: ' world', json: event(' world', 10, '') });
    for (const other of [
      event('x', -1, ''),
      event('x', 1.5, ''),
      event('x', 1e21, ''),
      event('x', 1),
      event('"', 1, ''),
    ]) {
      expect(read(other)).toBeUndefined();
    }
    expect(read(event('x', 1, ''), 'other')).toBeUndefined();
    expect(teach(event('5', 5))(event('5', 55))?.json).toEqual(event('5', 55));
  });

  test('reads any frame with several values like the parser, or not at all', () => {
    const value = fc.record(
      {
        delta: fc.oneof(fc.string(), fc.constantFrom('', '1', '","sequence_number":1'), fc.constant(null)),
        sequence_number: fc.oneof(fc.nat(12), fc.double(), fc.constant('1')),
        obfuscation: fc.string({ maxLength: 3 }),
        item: fc.record({ delta: fc.constantFrom('', '1', 'x'), sequence_number: fc.nat(12) }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(value), fc.array(fc.nat(), { maxLength: 3 }), (list, cuts) => {
        const frames = createTemplateFrames(SEVERAL);
        for (const one of list) {
          const whole = JSON.stringify(one);
          const torn = cuts.map((cut) => whole.slice(0, cut % whole.length) + whole.slice((cut % whole.length) + 1));
          for (const text of [whole, ...torn]) {
            const read = frames.read({ data: text });
            if (read !== undefined) expect(JSON.stringify(read.json)).toBe(JSON.stringify(JSON.parse(text)));
          }
          frames.learn({ data: whole }, JSON.parse(whole));
        }
      }),
      { numRuns: runs(2000) },
    );
  });

  test('reads the frames at the beginning of a stream, one or many, and stops before the first other one', () => {
    const text = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('', '"', '"}}],"x', '\\', '\n\ndata: {}'));
    const framed = (content: string) => `data: ${JSON.stringify(chunk(content))}\n\n`;
    const frames = taught(chunk('Hello'));
    const isPlain = (content: string) => JSON.stringify(content) === `"${content}"`;
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), fc.nat(), fc.boolean(), (texts, cut, isCut) => {
        const whole = texts.map(framed).join('');
        const stream = isCut ? whole.slice(0, cut % (whole.length + 1)) : whole;
        const plain = texts.slice(0, [...texts.map(isPlain), false].indexOf(false));
        const ends = plain.map(
          (_, n) =>
            plain
              .slice(0, n + 1)
              .map(framed)
              .join('').length,
        );
        const count = ends.filter((end) => end <= stream.length).length;
        expect(frames.readRun(stream)).toEqual(
          count === 0
            ? undefined
            : { count, text: plain.slice(0, count).join(''), end: ends[count - 1], like: chunk('Hello') },
        );
      }),
      { numRuns: runs(2000) },
    );
  });

  test('reads any frame like the parser, or not at all', () => {
    const delta = fc.dictionary(fc.constantFrom('content', 'role', 'x'), fc.oneof(fc.string(), fc.constant(null)));
    const value = fc.record({
      id: fc.constantFrom('a', 'b'),
      choices: fc.array(fc.record({ delta }), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(value), (list) => {
        const frames = createTemplateFrames(CONTENT);
        for (const one of list) {
          const text = JSON.stringify(one);
          const read = frames.read({ data: text });
          if (read !== undefined) expect(JSON.stringify(read.json)).toBe(text);
          else frames.learn({ data: text }, JSON.parse(text));
        }
      }),
    );
  });
});
