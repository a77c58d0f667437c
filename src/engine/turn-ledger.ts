import { addLedgers, EMPTY_LEDGER, type Ledger } from '../base/ledger.ts';

/** Adds up what a turn takes. */
export interface TurnLedger {
  add(part: Partial<Ledger>): void;
  total(): Ledger;
}

export function createTurnLedger(): TurnLedger {
  let total = EMPTY_LEDGER;
  return {
    add(part) {
      total = addLedgers(total, { ...EMPTY_LEDGER, ...part });
    },
    total: () => total,
  };
}
