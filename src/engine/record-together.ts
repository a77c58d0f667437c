import type { LogLine } from '../base/log.ts';
import { createInOrder } from './in-order.ts';
import type { RecordTogether } from './turn-setup.ts';

/** Keeps lines that belong together beside each other, on top of what records a single one. */
export function createRecordTogether(record: (...lines: readonly LogLine[]) => Promise<void>): RecordTogether {
  const inOrder = createInOrder();
  return (make) =>
    inOrder(async () => {
      const lines = make();
      await record(...lines);
      return lines;
    });
}
