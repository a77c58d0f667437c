import type { RepairContext } from './context.ts';
import { fieldsOf, wordOf } from './field-values.ts';
import { scanWhole } from './text/scan-whole.ts';
import type { Segment } from './text/segment.ts';

/**
 * Returns the segments of the text that an error quotes as written by the model (D13). Undefined if the error quotes no
 * text, or if the text has no call.
 */
export function readFailedGeneration(error: unknown, context: RepairContext): readonly Segment[] | undefined {
  const written = wordOf(fieldsOf(error).failed_generation);
  const segments = written === undefined ? [] : scanWhole(written, context);
  return segments.some(({ type }) => type === 'calls') ? segments : undefined;
}
