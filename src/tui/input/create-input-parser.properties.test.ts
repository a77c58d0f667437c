import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { createInputParser } from './create-input-parser.ts';
import type { InputEvent } from './input-event.ts';

const SEQUENCES = [
  '\x1b[A',
  '\x1b[1;5C',
  '\x1b\x1b[B',
  '\x1bOP',
  '\x1b[13;2u',
  '\x1b[97;;228:776u',
  '\x1b[27;5;106~',
  '\x1bb',
  '\x1bé',
  '\x1b[12;40R',
  '\x1b[?1u',
  '\x1bP>|kitty(0.35)\x1b\\',
  '\x1b]11;rgb:ffff/8080/0000\x07',
  '\x1b]11;rgb:ffff/8080/0000\x1b\\',
  '\x1b[?2026;2$y',
  '\x1b[200~one\r\ntwo 日本\x1b[201\x1b[201~',
  '\x1b[200~\x1b[201~',
  '\x1b[I',
  '\x1b[M !!',
  '\x1b[3$',
  '\x03',
  '\n',
  '\t',
];

/** Pieces of input without carriage returns outside pastes, since these mean a paste only where they came in one read. */
const piece = fc.oneof(
  fc.constantFrom(...SEQUENCES).map((text) => Buffer.from(text)),
  fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text.replaceAll('\r', ''))),
  fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0x0d))),
);
const input = fc.array(piece, { maxLength: 12 }).map((pieces) => Buffer.concat(pieces));

test('events do not depend on the split', () => {
  fc.assert(
    fc.property(input, fc.array(fc.nat(200), { maxLength: 20 }), (bytes, cuts) => {
      expect(inParts(bytes, cuts)).toEqual(inParts(bytes, []));
      expect(inParts(bytes, [...bytes.keys()])).toEqual(inParts(bytes, []));
    }),
    { numRuns: runs(5000) },
  );
});

test('any bytes are read, and no key types a control character', () => {
  const reads = fc.array(fc.tuple(fc.oneof(fc.uint8Array({ maxLength: 40 }), piece), fc.boolean()), { maxLength: 8 });
  fc.assert(
    fc.property(reads, (parts) => {
      const parser = createInputParser();
      for (const [bytes, flushes] of parts)
        for (const event of [...parser.push(bytes), ...(flushes ? parser.flush() : [])]) expectSafe(event);
      parser.flush();
      expect(parser.pending).toBe(false);
    }),
    { numRuns: runs(5000) },
  );
});

test('text is decoded as TextDecoder does it', () => {
  const high = fc.array(
    fc.integer({ min: 0x20, max: 0xff }).filter((byte) => byte !== 0x7f),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(
      fc.oneof(
        high,
        fc.string({ unit: 'binary' }).map((text) => [...Buffer.from(text)]),
      ),
      (codes) => {
        // A letter at the end completes a character of which bytes are missing.
        const bytes = Uint8Array.from([...codes.filter((code) => code >= 0x20 && code !== 0x7f), 0x7a]);
        const typed = createInputParser()
          .push(bytes)
          .map((event) => (event.type === 'key' ? event.key.text : ''));
        const plain = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
        expect(typed.join('')).toBe(plain.replace(/\p{Cc}/gu, ''));
      },
    ),
    { numRuns: runs(5000) },
  );
});

function inParts(bytes: Uint8Array, cuts: readonly number[]): InputEvent[] {
  const parser = createInputParser();
  const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((one, two) => one - two), bytes.length];
  const events = places.flatMap((end, at) => parser.push(bytes.subarray(places[at - 1] ?? 0, end)));
  return [...events, ...parser.flush()];
}

function expectSafe(event: InputEvent): void {
  if (event.type !== 'key') return;
  const { name, text, ctrl, alt } = event.key;
  expect(text).not.toMatch(/\p{Cc}/u);
  expect(name).not.toMatch(/\p{Cc}/u);
  expect(text === '').toBe(name !== 'text');
  if (ctrl || alt) expect(text).toBe('');
}
