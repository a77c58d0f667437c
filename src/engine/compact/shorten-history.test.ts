import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Item, isCall, isCallOutput } from '../../base/item.ts';
import { tokensFrom } from '../state/estimate.ts';
import { nextStep, shortenHistory } from './shorten-history.ts';

const said = (text: string): Item => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const thought: Item = { type: 'reasoning', summary: [], content: null, encrypted_content: 'x' };

/** Messages, and responses whose calls all have outputs. */
const history = fc
  .array(fc.tuple(fc.boolean(), fc.nat(3), fc.nat(3000)), { minLength: 1, maxLength: 30 })
  .map((stretches) =>
    stretches.flatMap(([thinks, calls, size], index): Item[] => {
      const ids = Array.from({ length: calls }, (_, n) => `c${index}_${n}`);
      return [
        said('u'.repeat(size)),
        ...(thinks ? [thought] : []),
        ...ids.map((call_id): Item => ({ type: 'function_call', name: 'f', arguments: '{}', call_id })),
        ...ids.map((call_id): Item => ({ type: 'function_call_output', call_id, output: 'o'.repeat(size) })),
        ...(calls === 0 ? [{ type: 'message', role: 'assistant', content: [] } satisfies Item] : []),
      ];
    }),
  );

test('each step leaves less, keeps the end of the history, and splits nothing that belongs together', () => {
  fc.assert(
    fc.property(history, (items) => {
      let step = 0;
      let last = Number.POSITIVE_INFINITY;
      for (let part = shortenHistory(items, step); part; part = shortenHistory(items, step)) {
        const tokens = tokensFrom(part, 0);
        expect(tokens).toBeLessThanOrEqual(last);
        expect(part.length).toBeGreaterThan(0);
        const open = new Set<string>();
        for (const item of part) {
          if (isCall(item)) open.add(item.call_id);
          if (isCallOutput(item)) expect(open.delete(item.call_id)).toBe(true);
        }
        expect(open.size).toBe(0);
        const before = items[items.length - part.length - 1];
        expect(before?.type).not.toBe('reasoning');
        last = tokens;
        step = nextStep(items, step);
      }
      expect(step).toBeLessThanOrEqual(5);
    }),
  );
});

test('there is no step after the last stretch with its texts cut', () => {
  const items = [said('a'.repeat(9000)), said('b'.repeat(9000))];
  expect(shortenHistory(items, 0)).toBe(items);
  const last = shortenHistory(items, 4);
  expect(last).toHaveLength(1);
  expect(JSON.stringify(last)).toMatch(/b+…\d+ tokens truncated…b+/);
  expect(shortenHistory(items, 5)).toBeUndefined();
});
