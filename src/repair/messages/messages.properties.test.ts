import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import { anyCut, anyDamage, anyDisorder, anyStrangeFrame } from '../fixtures/damaged-frames.ts';
import { brokenMessage } from './fixtures/broken-message.ts';
import { healthyMessage, markedMessage } from './fixtures/healthy-message.ts';
import { type RepairedMessage, repairOnce } from './fixtures/repair-events.ts';

describe('a healthy message', () => {
  test('passes unchanged', () => {
    fc.assert(
      fc.property(healthyMessage, ({ frames, calls, text }) => {
        const repaired = repairOnce(frames);
        expect(repaired.ids).toEqual([]);
        expect(repaired.frames.map(bare)).toEqual(frames);
        expect(repaired).toMatchObject({ calls, text, faults: [] });
      }),
      { numRuns: runs(1000) },
    );
  });

  test('that breaks off has only whole calls and the beginning of its text, and ends well only with a call', () => {
    fc.assert(
      fc.property(healthyMessage, anyCut, ({ frames, calls, text }, cut) => {
        const sent = cut(frames);
        const repaired = repairOnce(sent);
        expect(repaired.calls).toEqual(calls.slice(0, repaired.calls.length));
        expect(text.startsWith(repaired.text)).toBe(true);
        const isStopped = sent.some(({ data }) => data.includes('"message_delta"') && data.endsWith('}}'));
        if (!isStopped && repaired.calls.length === 0) expect(['open', 'failed']).toContain(repaired.end);
      }),
      { numRuns: runs(1500) },
    );
  });

  test('whose frames are lost, repeated or moved has no calls but its own', () => {
    fc.assert(
      fc.property(healthyMessage, anyDisorder, ({ frames }, disorder) => {
        const sent = disorder(frames);
        const begun = sent.flatMap(({ data }) => /"tool_use","id":"[^"]*","name":"(\w+)"/.exec(data)?.[1] ?? []);
        // Input without a call of its own keeps a call without a name, and torn input is not an object: clients run neither.
        const runnable = repairOnce(sent).calls.filter(({ name, input }) => name !== '' && isRecord(input));
        const names = runnable.map(({ name }) => name);
        for (const name of new Set(names)) expect(count(names, name)).toBeLessThanOrEqual(count(begun, name));
      }),
      { numRuns: runs(1500) },
    );
  });

  test('whose frames are lost, repeated or moved has no call with the input of another', () => {
    fc.assert(
      fc.property(markedMessage, anyDisorder, ({ frames }, disorder) => {
        const { calls, callIds } = repairOnce(disorder(frames));
        for (const [n, { name, input }] of calls.entries()) {
          if (name === '' || !isRecord(input)) continue;
          const marks = new Set(JSON.stringify(input).match(/\d/g));
          const own = /^toolu_(\d)$/.exec(String(callIds[n]))?.[1];
          if (own !== undefined) marks.add(own);
          expect(marks.size).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: runs(4000) },
    );
  });
});

describe('any stream', () => {
  test('that was repaired is sound, and needs no second repair', () => {
    fc.assert(fc.property(brokenMessage, expectSettled), { numRuns: runs(1500) });
  });

  test('that was damaged is sound after its repair, and needs no second one', () => {
    fc.assert(
      fc.property(healthyMessage, anyDamage, ({ frames }, damage) => expectSettled(damage(frames))),
      { numRuns: runs(1500) },
    );
  });

  test('of strange frames alone has no call', () => {
    fc.assert(
      fc.property(fc.array(anyStrangeFrame(), { maxLength: 8 }), (frames) => {
        expectSettled(frames);
        expect(repairOnce(frames).calls).toEqual([]);
      }),
      { numRuns: runs(500) },
    );
  });
});

function expectSettled(sent: readonly Frame[]): void {
  const once = repairOnce(sent);
  const again = repairOnce(once.frames.map(bare));
  expect(again.ids).toEqual([]);
  expect(again.frames.map(bare).filter(isNoPing)).toEqual(once.frames.map(bare).filter(isNoPing));
  expect(faultsOf(once)).toEqual([]);
}

/** Returns the faults that a client may stumble over. Clients pass over events that they do not know. */
function faultsOf({ faults }: RepairedMessage): readonly string[] {
  return faults.filter((fault) => !/unknown event|undefined/.test(fault));
}

/** Pings may move: nothing depends on their places. */
function isNoPing({ event }: Frame): boolean {
  return event !== 'ping';
}

function bare({ event, data }: Frame): Frame {
  return event === undefined ? { data } : { event, data };
}

function count(names: readonly unknown[], name: unknown): number {
  return names.filter((one) => one === name).length;
}
