import type { Repair } from '../../base/repair.ts';
import { printable } from '../../text/visible.ts';

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
    add({ id, title, before, after }) {
      if (seen.has(id)) return;
      seen.add(id);
      waiting.push(`repair ${id}: ${title} (${brief(before)} -> ${brief(after)})`);
    },
    reset: () => seen.clear(),
    take() {
      const notes = waiting;
      waiting = [];
      return notes;
    },
  };
}

const MAX_BRIEF_CHARS = 60;

function brief(text: string): string {
  const shown = printable(text).replace(/\s+/g, ' ');
  if (shown === '') return 'nothing';
  return shown.length <= MAX_BRIEF_CHARS ? shown : `${shown.slice(0, MAX_BRIEF_CHARS)}…`;
}
