import type { RepairId } from '../catalog.ts';

/** Takes note of a repair: what was there, what stands there now. */
export type ArgumentReport = (id: RepairId, before: string, after: string) => void;

/** Passes on the first repair of each kind, its texts shortened. */
export function reportOnce(report: ArgumentReport): ArgumentReport {
  const reported = new Set<RepairId>();
  return (id, before, after) => {
    if (reported.has(id)) return;
    reported.add(id);
    report(id, shorten(before), shorten(after));
  };
}

const MAX_CHARS = 80;

function shorten(text: string): string {
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - 1)}…`;
}
