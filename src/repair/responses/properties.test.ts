import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { Item } from '../../base/item.ts';
import type { Frame } from '../../base/wire.ts';
import { anyJson } from '../../wire/responses/fixtures/arbitrary-items.ts';
import { anyEvent, brokenStream } from './fixtures/broken-stream.ts';
import { WITH_TOOLS } from './fixtures/check-cases.ts';
import { added, argumentEvents, CREATED, call, completed, done, messageLife } from './fixtures/events.ts';
import { healthyStream, TOOLS } from './fixtures/healthy-stream.ts';
import { decoded, repaired, repairing } from './fixtures/repaired.ts';

describe('a healthy stream', () => {
  test('passes unchanged', () => {
    fc.assert(
      fc.property(healthyStream, fc.boolean(), (frames, withTools) => {
        const result = repaired(frames, withTools ? { tools: TOOLS } : {});
        expect(result.repairs).toEqual([]);
        expect(result.frames.map(({ data }) => data)).toEqual(frames.map(({ data }) => data));
      }),
      { numRuns: runs(300) },
    );
  });

  test('that is cut after any frame has only whole calls', () => {
    fc.assert(
      fc.property(healthyStream, fc.nat(), fc.boolean(), (frames, at, marked) => {
        const whole = decoded(frames).flatMap((event) => (event.type === 'item.done' ? [comparable(event.item)] : []));
        const rest = frames.slice(0, at % (frames.length + 1));
        const { calls } = repaired(marked ? [...rest, '[DONE]'] : rest, { tools: TOOLS });
        for (const call of calls) expect(whole).toContainEqual(comparable(call));
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('any cut of a text into pieces', () => {
  const TEXTS = [
    'It rains.',
    'Let me look.\n<tool_call>\n{"name":"get_weather","arguments":{"city":"Oslo"}}\n</tool_call>\n',
    '<think>\nHm.\n</think>\n\nIt rains.',
    '<think>Hm</think><tool_call>{"name":"get_weather","arguments":{}}</tool_call>',
    'Hm.</think>It rains.',
    '{"name":"get_weather","arguments":{"city":"Oslo"}}',
    'Say `<tool_call>` and {"a": 1} <b>',
  ];

  test('has the same items', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TEXTS), cuts, (text, at) => {
        const [whole, cut] = [[text], pieces(text, at)].map((parts) =>
          repaired([CREATED, ...messageLife(parts), completed()], WITH_TOOLS),
        );
        expect(cut?.items).toEqual(whole?.items);
        expect(cut?.ids).toEqual(whole?.ids);
      }),
    );
  });

  test('has the same arguments', () => {
    const texts = [
      '{"city":"Oslo"}',
      '{"days":"3"}{"days":4}',
      '"{\\"days\\":3}"',
      '{"city":"C:\\dir","days":3',
      '{"city":"Os',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...texts), cuts, (text, at) => {
        const [whole, cut] = [[text], pieces(text, at)].map((parts) =>
          repaired(
            [CREATED, added(call()), ...argumentEvents(parts), done(call({ arguments: text })), completed()],
            WITH_TOOLS,
          ),
        );
        expect(cut?.items).toEqual(whole?.items);
        expect(cut?.ids).toEqual(whole?.ids);
      }),
    );
  });

  test('short pieces wait as a whole, long ones only with their uncertain part', () => {
    const repair = repairing(WITH_TOOLS);
    const [begin, part, ...rest] = messageLife(['I will ', 'look <tool', '_box>']);
    const given = [CREATED, begin, part, ...rest].map((event) => textOf(repair.push({ data: JSON.stringify(event) })));
    expect(given.slice(3, 6)).toEqual(['I will ', '', 'look <tool_box>']);
    const long = 'x'.repeat(300);
    const other = repairing(WITH_TOOLS);
    const outcome = messageLife([`${long}<tool`]).map((event) => textOf(other.push({ data: JSON.stringify(event) })));
    expect(outcome[2]).toBe(long);
  });
});

describe('any stream', () => {
  test('that was repaired needs no second repair', () => {
    fc.assert(
      fc.property(brokenStream, (lines) => {
        const once = repaired(lines, WITH_TOOLS);
        const again = repaired(once.frames, WITH_TOOLS);
        expect(again.repairs).toEqual([]);
        expect(again.events).toEqual(once.events);
      }),
      { numRuns: runs(500) },
    );
  });

  test('can be read to its end', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyEvent, anyJson, fc.string()), { maxLength: 12 }), (values) => {
        const lines = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
        expect(repaired(lines, WITH_TOOLS).end?.type).toMatch(/^(?:completed|incomplete|failed)$/);
      }),
      { numRuns: runs(500) },
    );
  });
});

const cuts = fc.array(fc.nat({ max: 90 }));

function pieces(text: string, at: readonly number[]): readonly string[] {
  const ends = [...new Set(at)].filter((end) => end > 0 && end < text.length).sort((a, b) => a - b);
  return [0, ...ends].map((start, n) => text.slice(start, ends[n]));
}

function textOf(frames: readonly Frame[]): string {
  const deltas = decoded(frames).flatMap((event) => (event.type === 'text.delta' ? [event.delta] : []));
  return deltas.join('');
}

/** Returns an item without its status: a call that was completed from its deltas has none. */
function comparable({ status: _, ...item }: Item & { readonly status?: unknown }): object {
  return item;
}
