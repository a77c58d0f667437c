import type { RepairContext } from '../context.ts';
import { createTextScanner } from './create-text-scanner.ts';
import type { Segment } from './segment.ts';

/** Returns the segments of a text that came as a whole. Reports nothing. */
export function scanWhole(
  text: string,
  { tools, textCalls, isQuoted }: Pick<RepairContext, 'tools' | 'textCalls' | 'isQuoted'>,
): readonly Segment[] {
  const scanner = createTextScanner({
    channel: 'content',
    tools,
    thinking: 'tags',
    textCalls,
    continues: false,
    isQuoted,
    onRepair() {},
  });
  return [...scanner.push(text), ...scanner.end()];
}
