import type { Repair } from '../../base/repair.ts';
import { repairNote } from '../../text/repair-note.ts';

/** Lines about repairs, one for each kind in a turn. */
export interface RepairNotes {
  add(repair: Repair): void;
  /** Starts a new turn. */
  reset(): void;
  /** Returns the lines that have not been shown yet, and marks them as shown. */
  take(): readonly string[];
}

export function createRepairNotes(): RepairNotes {
  const seen = new Set<string>();
  let waiting: string[] = [];
  return {
    add(repair) {
      if (seen.has(repair.id)) return;
      seen.add(repair.id);
      waiting.push(repairNote(repair));
    },
    reset: () => seen.clear(),
    take() {
      const notes = waiting;
      waiting = [];
      return notes;
    },
  };
}
