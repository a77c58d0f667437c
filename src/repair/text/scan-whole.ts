import type { RepairContext } from '../context.ts';
import { createTextScanner } from './create-text-scanner.ts';
import type { Segment } from './segment.ts';

/** Returns the segments of a text that came as a whole. Reports nothing. */
export function scanWhole(
  text: string,
  { tools, compat }: Pick<RepairContext, 'tools' | 'compat'>,
): readonly Segment[] {
  const scanner = createTextScanner({
    channel: 'content',
    tools,
    thinking: 'tags',
    textCalls: compat.textCalls,
    jsonAnswer: false,
    onRepair() {},
  });
  return [...scanner.push(text), ...scanner.end()];
}
