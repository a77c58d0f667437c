import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { textOf } from '../field-values.ts';
import { createTextScanner, type Segment } from '../text/create-text-scanner.ts';
import { type Choice, createChoice } from './choice-state.ts';
import { bareUnit, finishedUnit, madeUnit, unitWith } from './chunk.ts';
import { addCall } from './repair-calls.ts';
import type { ChatRepairState } from './response-state.ts';

/**
 * The calls in an error that quotes what the model wrote (D13), as the response that the server should have sent. False
 * if there are none.
 */
export function takeFailedGeneration(response: ChatRepairState, { error, ...head }: Fields, known?: Choice): boolean {
  const written = isRecord(error) ? textOf(error.failed_generation) : '';
  if (written === '' || (known !== undefined && known.calls.slots.length > 0)) return false;
  const segments = readAll(response, written);
  if (!segments.some(({ type }) => type === 'calls')) return false;
  const unit = madeUnit({ ...head, object: 'chat.completion.chunk' }, { index: 0 }, {});
  const choice = known ?? createChoice(response, unit);
  const base = bareUnit(choice.last);
  const { queue, reporter } = response;
  for (const segment of segments) {
    if (segment.type === 'text' && !choice.hasText) queue.put(unitWith(base, { content: segment.text }).frame);
    if (segment.type === 'reasoning') queue.put(unitWith(base, { reasoning_content: segment.text }).frame);
    if (segment.type !== 'calls') continue;
    for (const call of segment.calls) {
      const callId = addCall(choice.calls, base, call.name, call.arguments);
      reporter.report('D13', { callId, before: segment.raw, after: `${call.name} ${call.arguments}` });
    }
  }
  queue.put(finishedUnit(base, {}, 'tool_calls').frame);
  return true;
}

function readAll({ context }: ChatRepairState, written: string): readonly Segment[] {
  const { tools, compat } = context;
  const scanner = createTextScanner({
    channel: 'content',
    tools,
    thinking: 'tags',
    textCalls: compat.textCalls,
    jsonAnswer: false,
    onRepair: () => {},
  });
  return [...scanner.push(written), ...scanner.end()];
}
