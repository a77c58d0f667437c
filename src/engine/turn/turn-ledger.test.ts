import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addLedgers, EMPTY_LEDGER, type Ledger } from '../../base/ledger.ts';
import { NO_USAGE } from '../../base/usage.ts';
import { createTurnLedger } from './turn-ledger.ts';

test('adds up parts like whole ledgers', () => {
  const usage = fc.nat().map((inputTokens) => ({ ...NO_USAGE, inputTokens, totalTokens: inputTokens }));
  const part = fc.record<Ledger>(
    {
      ...{ requests: fc.nat(), retries: fc.nat(), repairs: fc.nat(), usage, cost: fc.option(fc.nat()) },
      ...{ modelMs: fc.nat(), toolMs: fc.nat(), sentBytes: fc.nat(), receivedBytes: fc.nat() },
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const ledger = createTurnLedger();
      for (const one of parts) ledger.add(one);
      expect(ledger.total()).toEqual(
        parts.map((one) => ({ ...EMPTY_LEDGER, ...one })).reduce(addLedgers, EMPTY_LEDGER),
      );
    }),
  );
});

test('each request has counts of its own', () => {
  const ledger = createTurnLedger();
  ledger.beginRequest().repairs++;
  const second = ledger.beginRequest();
  expect(second).toEqual({ meter: { sentBytes: 0, receivedBytes: 0, retries: 0 }, usage: null, repairs: 0 });
  expect(ledger.request).toBe(second);
});
