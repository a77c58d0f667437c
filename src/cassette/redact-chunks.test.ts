import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import type { RecordedChunk } from './cassette.ts';
import { createChunkRedactor } from './redact-chunks.ts';
import { createSecretFinder } from './secret-finder.ts';

const SECRETS = ['hunter2hunter2', 'pässwörd-ß-1234'];
const encode = (text: string) => new TextEncoder().encode(text);
const decode = (chunks: readonly Uint8Array[]) => new TextDecoder().decode(Buffer.concat(chunks));

/** Cuts bytes at these places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

function redact(chunks: readonly Uint8Array[], maxHeldBytes?: number): RecordedChunk[] {
  const redactor = createChunkRedactor(createSecretFinder(SECRETS), maxHeldBytes);
  const early = chunks.flatMap((bytes, ms) => redactor.push({ ms, bytes }));
  return [...early, ...redactor.end()];
}

const anyText = fc
  .array(fc.oneof(fc.constantFrom(...SECRETS), fc.string({ unit: fc.constantFrom('a', 'ß', '😀', '\n', 'h', '2') })))
  .map((parts) => parts.join(''));
const anyPlaces = fc.array(fc.nat());

describe('for all cuts of the chunks', () => {
  test('no secret is left, nothing else is lost, and every chunk keeps its position', () => {
    fc.assert(
      fc.property(anyText, anyPlaces, fc.option(fc.integer({ min: 40, max: 200 })), (text, places, maxHeld) => {
        const chunks = cut(encode(text), places);
        const redacted = redact(chunks, maxHeld ?? undefined);
        expect(redacted.map(({ ms }) => ms)).toEqual(chunks.map((_, index) => index));
        expect(decode(redacted.map(({ bytes }) => bytes))).toBe(createSecretFinder(SECRETS).redact(text));
      }),
      { numRuns: runs(500) },
    );
  });

  test('chunks without a secret are the same bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), (chunks) => {
        expect(redact(chunks).map(({ bytes }) => Buffer.from(bytes))).toEqual(
          chunks.map((bytes) => Buffer.from(bytes)),
        );
      }),
    );
  });

  test('a chunk without a part of a secret keeps its bytes, even if other chunks have secrets', () => {
    const chunks = ['one ', 'hunter2', 'hun', 'ter2 two', ' three'].map(encode);
    expect(redact(chunks).map(({ bytes }) => decode([bytes]))).toEqual(['one ', '[redacted]', '', ' two', ' three']);
  });
});

describe('a secret that comes in deltas', () => {
  const frame = (delta: string, more = {}) =>
    `event: delta\ndata: ${JSON.stringify({ type: 'delta', sequence_number: 3, item_id: 'm1', delta, ...more })}\n\n`;
  const deltasOf = (text: string) =>
    [...text.matchAll(/^data: (.*)$/gm)].map((line) => (JSON.parse(line[1] ?? '') as { delta: string }).delta);

  test('is redacted where it begins and dropped from the others', () => {
    const chunks = ['the key is hun', 'ter2', 'hunter', '2, right?'].map((delta) => encode(frame(delta)));
    const redacted = redact(chunks).map(({ bytes }) => decode([bytes]));
    expect(deltasOf(redacted.join(''))).toEqual(['the key is [redacted]', '', '', ', right?']);
  });

  test('is found between the deltas of another stream', () => {
    const text = frame('hunter2') + frame('xyz', { item_id: 'm2' }) + frame('hunter2');
    expect(deltasOf(decode(redact([encode(text)]).map(({ bytes }) => bytes)))).toEqual(['[redacted]', 'xyz', '']);
  });

  test('is found for all cuts into deltas and of deltas into chunks', () => {
    fc.assert(
      fc.property(anyText, anyPlaces, anyPlaces, (text, deltaPlaces, chunkPlaces) => {
        const characters = [...text];
        const at = [0, ...deltaPlaces.map((p) => p % (characters.length + 1)).sort((a, b) => a - b), characters.length];
        const deltas = at.slice(1).map((end, index) => characters.slice(at[index], end).join(''));
        const chunks = redact(cut(encode(deltas.map((delta) => frame(delta)).join('')), chunkPlaces));
        const told = deltasOf(decode(chunks.map(({ bytes }) => bytes)));
        expect(told).toHaveLength(deltas.length);
        for (const secret of SECRETS) expect(told.join('')).not.toContain(secret);
        // Two overlapping secrets are marked once each if a delta ends between them.
        expect(told.join('').replace(/(\[redacted\])+/g, '[redacted]')).toBe(
          createSecretFinder(SECRETS)
            .redact(text)
            .replace(/(\[redacted\])+/g, '[redacted]'),
        );
      }),
      { numRuns: runs(300) },
    );
  });
});

test('memory is bounded: a long body is released while it arrives', () => {
  const redactor = createChunkRedactor(createSecretFinder(SECRETS), 1000);
  const line = encode('data: {"delta":"abc hunter2hunter2"}\n\n');
  let given = 0;
  for (let n = 1; n <= 500; n++) {
    given += redactor.push({ ms: n, bytes: line }).length;
    expect((n - given) * line.length).toBeLessThanOrEqual(1000);
  }
  expect(given + redactor.end().length).toBe(500);
});
