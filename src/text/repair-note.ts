import type { Repair } from '../base/repair.ts';
import { printable } from './visible.ts';

/** Returns a repair in one line: which one, and the text before and after it. */
export function repairNote({ id, title, before, after }: Repair): string {
  return `repair ${id}: ${title} (${brief(before)} -> ${brief(after)})`;
}

const MAX_BRIEF_CHARS = 60;

function brief(text: string): string {
  const shown = printable(text).replace(/\s+/g, ' ');
  if (shown === '') return 'nothing';
  return shown.length <= MAX_BRIEF_CHARS ? shown : `${shown.slice(0, MAX_BRIEF_CHARS)}…`;
}
