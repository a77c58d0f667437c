import { expect } from 'vitest';
import { sampled } from '../../../test/harness/runs.ts';
import { createTextScanner } from './create-text-scanner.ts';
import type { Dialect } from './dialect.ts';
import type { Segment, TextScannerOptions } from './segment.ts';

/** Result of a scan, which must not depend on how the text was cut. */
export interface Scan {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ScannedCall[];
  /** Types of the segments in their order. */
  readonly order: string;
  readonly repairs: readonly string[];
}

export interface ScannedCall {
  readonly id: string;
  readonly within: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly raw: string;
}

export type TextScanOptions = Partial<Omit<TextScannerOptions, 'onRepair'>> & {
  readonly dialects?: readonly Dialect[];
};

const OBJECT = { type: 'object', properties: { city: { type: 'string' } } };

export const TOOLS: TextScannerOptions['tools'] = new Map([
  ['get_weather', { schema: OBJECT }],
  ['write_file', { schema: { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } } } }],
]);

/** Scans a text in these pieces. */
export function scan(pieces: readonly string[], { dialects, ...options }: TextScanOptions = {}): Scan {
  const repairs: string[] = [];
  const all = {
    channel: 'content',
    tools: TOOLS,
    thinking: 'tags',
    textCalls: true,
    continues: false,
    isQuoted: () => false,
  } as const;
  const scanner = createTextScanner({ ...all, onRepair: (id) => repairs.push(id), ...options }, dialects);
  return joined([...pieces.flatMap((piece) => scanner.push(piece)), ...scanner.end()], repairs);
}

/**
 * Scans a text at every single split and in pieces of every small size, or at some splits and sizes where not every
 * sample is wanted. All results must be the same.
 */
export function scanEverySplit(text: string, options: TextScanOptions = {}): Scan {
  const whole = scan([text], options);
  for (const at of sampled(Array.from({ length: Math.max(text.length - 1, 0) }, (_, n) => n + 1))) {
    expect(scan([text.slice(0, at), text.slice(at)], options), `split at ${at}`).toEqual(whole);
  }
  for (const size of sampled(PIECES, 3)) {
    expect(scan(inPieces(text, size), options), `in pieces of ${size}`).toEqual(whole);
  }
  return whole;
}

const PIECES = [1, 2, 3, 4, 5, 6, 7, 8, 9];

export function inPieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
}

function joined(segments: readonly Segment[], repairs: readonly string[]): Scan {
  const textOf = (type: string) => segments.map((s) => (s.type === type && 'text' in s ? s.text : '')).join('');
  const calls = segments.flatMap((segment) =>
    segment.type === 'calls'
      ? segment.calls.map((call) => ({
          id: segment.id,
          within: segment.within,
          name: call.name,
          arguments: JSON.parse(call.arguments),
          raw: segment.raw,
        }))
      : [],
  );
  const types = segments.map(({ type }) => type);
  const order = types.filter((type, i) => type === 'calls' || type !== types[i - 1]).join(' ');
  return { text: textOf('text'), reasoning: textOf('reasoning'), calls, order, repairs };
}
