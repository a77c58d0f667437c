import { createTextScanner, type Segment } from '../text/create-text-scanner.ts';
import type { ResponsesRepairState } from './response-state.ts';

/** What stands in a text that came as a whole. Nothing is told of it. */
export function scanWhole(text: string, { context }: ResponsesRepairState): readonly Segment[] {
  const scanner = createTextScanner({
    channel: 'content',
    tools: context.tools,
    thinking: 'tags',
    textCalls: context.compat.textCalls,
    jsonAnswer: false,
    onRepair() {},
  });
  return [...scanner.push(text), ...scanner.end()];
}
