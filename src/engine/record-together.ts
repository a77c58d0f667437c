import type { LogLine } from '../base/log.ts';
import { createInOrder } from './in-order.ts';
import type { RecordTogether } from './turn-setup.ts';

/** Keeps lines that belong together beside each other, on top of what records a single one. */
export function createRecordTogether(record: (line: LogLine) => Promise<void>): RecordTogether {
  const inOrder = createInOrder();
  return (make) =>
    inOrder(async () => {
      const lines = make();
      for (const line of lines) await record(line);
      return lines;
    });
}
