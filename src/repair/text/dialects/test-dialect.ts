import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../test/harness/runs.ts';
import type { JsonSchema } from '../../../base/json-schema.ts';
import type { RepairTool } from '../../context.ts';
import { Cursor } from '../cursor.ts';
import type { Dialect, TextCall } from '../dialect.ts';

/** Tools that samples call. */
export const TOOLS: ReadonlyMap<string, RepairTool> = new Map(
  Object.entries({
    get_weather: object({ city: { type: 'string' }, days: { type: 'integer' }, metric: { type: 'boolean' } }),
    write_file: object({ path: { type: 'string' }, content: { type: 'string' } }),
    get_time: object({}),
    plan: object({ steps: { type: 'array', items: { type: 'string' } }, options: { type: 'object' } }),
    'list-files': object({ '-A': { type: 'integer' }, 'max-depth': { type: 'integer' } }),
    freeform: undefined,
  }).map(([name, schema]) => [name, { schema }]),
);

export type SampleCall = readonly [name: string, args: unknown];

export interface DialectSamples {
  /** Texts with their calls, and the text that is left after them. */
  readonly calls: readonly (readonly [says: string, text: string, calls: readonly SampleCall[], rest?: string])[];
  /** Texts that are refused before more text comes. */
  readonly refused: readonly string[];
  /** Texts that are refused at the end. */
  readonly halves: readonly string[];
  /** Writes calls in the dialect. `style` is one of four ways of spacing. */
  readonly write: (calls: readonly Written[], style: number) => string;
  /** Texts that a string in this dialect cannot hold. */
  readonly ambiguous?: RegExp;
  /** The most calls of one block. */
  readonly most?: number;
  /** Pieces of the texts after a marker. */
  readonly pieces: readonly string[];
}

export interface Written {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Defines the tests that every dialect must pass. */
export function testDialect(dialect: Dialect, samples: DialectSamples): void {
  describe(`${dialect.id} ${dialect.markers[0]}`, () => {
    for (const [says, text, calls, rest = ''] of samples.calls) {
      test(`reads ${says}`, () => {
        for (const cuts of allCuts(text)) {
          const reading = read(dialect, text, cuts, TOOLS);
          expect(valuesOf(reading.calls)).toEqual(calls);
          expect(reading.rest.trim()).toBe(rest);
        }
      });
    }

    test.each(samples.refused)('refuses at once: %s', (text) => {
      for (const cuts of allCuts(text)) expect(read(dialect, text, cuts, TOOLS).state).toBe('refused');
    });

    test.each(samples.halves)('refuses at the end: %s', (text) => {
      for (const cuts of allCuts(text)) expect(read(dialect, text, cuts, TOOLS).calls).toBeUndefined();
    });

    test('what is written in it comes back', () => {
      fc.assert(
        fc.property(writtenCalls(samples), fc.nat(3), cutPlaces, (written, style, places) => {
          const text = samples.write(written.calls, style);
          const { calls } = read(dialect, text, places, written.tools);
          expect(valuesOf(calls)).toEqual(written.calls.map(({ name, args }) => [name, args]));
        }),
      );
    });

    test('any text after a marker is read to the same end however it is cut', () => {
      const piece = fc.oneof(fc.constantFrom(...samples.pieces), fc.string({ maxLength: 8 }));
      fc.assert(
        fc.property(fc.constantFrom(...dialect.markers), fc.array(piece), cutPlaces, (marker, pieces, places) => {
          const text = marker + pieces.join('');
          const cut = read(dialect, text, places, TOOLS);
          const whole = read(dialect, text, [], TOOLS);
          expect(cut.calls).toEqual(whole.calls);
          if (whole.calls !== undefined) expect(cut.rest).toBe(whole.rest);
          for (const call of whole.calls ?? []) expect(typeof JSON.parse(call.arguments)).toBe('object');
        }),
        { numRuns: runs(300) },
      );
    });
  });
}

export interface DialectOutcome {
  /** `refused`: before the end of the text was known. */
  readonly state: 'refused' | 'over';
  readonly calls: readonly TextCall[] | undefined;
  readonly rest: string;
}

/**
 * Returns a value as it is written between tags: with line breaks around it in some styles, and if it begins or ends
 * with one.
 */
export function between(value: unknown, style: number): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return style % 2 === 0 || /^[\r\n]|[\r\n]$/.test(text) ? `\n${text}\n` : text;
}

/** Returns the white space between tags in a style. */
export function gap(style: number): string {
  return ['\n', '', ' ', '\n\n  '][style] ?? '';
}

/** Reads a text that arrives in pieces. */
export function read(dialect: Dialect, text: string, cuts: readonly number[], tools: typeof TOOLS): DialectOutcome {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  const cursor = new Cursor();
  const steps = dialect.read(cursor, tools);
  let fed = 0;
  for (const place of [...places, text.length]) {
    cursor.feed(text.slice(fed, place));
    fed = place;
    const step = steps.next();
    const rest = cursor.rest + text.slice(fed);
    if (cursor.begun && cursor.rejected) return { state: 'refused', calls: undefined, rest };
    if (step.done !== true) continue;
    const calls = cursor.rejected ? undefined : step.value;
    return { state: calls === undefined ? 'refused' : 'over', calls, rest };
  }
  cursor.end();
  const last = steps.next();
  if (last.done !== true) throw new Error('the reader waits for more although the text is over');
  return { state: 'over', calls: cursor.rejected ? undefined : last.value, rest: cursor.rest };
}

function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties };
}

function valuesOf(calls: readonly TextCall[] | undefined): SampleCall[] | undefined {
  return calls?.map((call) => [call.name, JSON.parse(call.arguments)]);
}

/** Returns the cuts of a text: none, one at every place, and all at once. */
function allCuts(text: string): number[][] {
  const places = Array.from({ length: text.length }, (_none, at) => at);
  return [[], ...places.map((place) => [place]), places];
}

const cutPlaces = fc.array(fc.nat(2000), { maxLength: 12 });

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,15}$/;
const name = fc.stringMatching(NAME).filter((text) => !(text in {}));

const tricky = fc.constantFrom(
  '<',
  '>',
  '&',
  '"',
  "'",
  '\\',
  '\n',
  '\n\n',
  '\r\n',
  '</parameter>x',
  '<parameter=a>',
  '</tool_call>',
  '<b>',
  '</function> ',
  '</arg_value> y',
  '{',
  '}',
  '[',
  ']',
  '```',
  '<|tool_call_end|>',
  'é',
  '日本',
  '😀',
  '\u2028',
  ' ',
  'True',
  '12',
  ';',
  '[ARGS]',
);

const text = fc.array(fc.oneof(tricky, fc.string({ maxLength: 5 })), { maxLength: 8 }).map((parts) => parts.join(''));
const integer = fc.integer();
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0));

function property(ambiguous: RegExp | undefined): fc.Arbitrary<readonly [schema: JsonSchema, value: unknown]> {
  const string = ambiguous === undefined ? text : text.filter((value) => !ambiguous.test(value));
  const schema = (type: string, more = {}): JsonSchema => ({ type, ...more });
  return fc.oneof(
    fc.tuple(fc.constant(schema('string')), string),
    fc.tuple(fc.constant(schema('integer')), integer),
    fc.tuple(fc.constant(schema('number')), number),
    fc.tuple(fc.constant(schema('boolean')), fc.boolean()),
    fc.tuple(fc.constant(schema('array', { items: { type: 'string' } })), fc.array(string, { maxLength: 3 })),
    fc.tuple(
      fc.constant(schema('object', { additionalProperties: { type: 'integer' } })),
      fc.dictionary(name, integer, { noNullPrototype: true, maxKeys: 3 }),
    ),
  );
}

interface WrittenCalls {
  readonly tools: typeof TOOLS;
  readonly calls: readonly Written[];
}

function writtenCalls({ ambiguous, most = 3 }: DialectSamples): fc.Arbitrary<WrittenCalls> {
  const tool = fc.dictionary(name, property(ambiguous), { noNullPrototype: true, maxKeys: 4 });
  const named = fc.uniqueArray(fc.tuple(name, tool), {
    minLength: 1,
    maxLength: most,
    selector: ([it]) => it.toLowerCase(),
  });
  return named.map((entries) => ({
    tools: new Map(entries.map(([it, members]) => [it, { schema: object(mapped(members, ([schema]) => schema)) }])),
    calls: entries.map(([it, members]) => ({ name: it, args: mapped(members, ([, value]) => value) })),
  }));
}

function mapped<T, U>(members: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(members).map(([key, value]) => [key, change(value)]));
}
