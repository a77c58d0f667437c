import { isRecord } from '../../base/json-schema.ts';
import type { EdgeWire } from '../edge/edge-wire.ts';
import { editField, mapList, sameOr, withoutFields } from '../fields/edit-fields.ts';
import type { Fields } from '../fields/request-fields.ts';

export const firstCallOnly: EdgeWire['firstCallOnly'] = () => (chunk) => {
  const kept = editField(chunk, 'choices', (choices) =>
    mapList(choices, (choice) =>
      isRecord(choice) ? editField(editField(choice, 'delta', keepFirst), 'message', keepFirst) : choice,
    ),
  );
  return kept !== chunk && isBlank(kept) ? undefined : kept;
};

function keepFirst(message: unknown): unknown {
  if (!isRecord(message) || !Array.isArray(message.tool_calls)) return message;
  const calls = sameOr(message.tool_calls, message.tool_calls.filter(isFirst));
  if (calls === message.tool_calls) return message;
  return calls.length === 0 ? withoutFields(message, ['tool_calls']) : { ...message, tool_calls: calls };
}

function isFirst(call: unknown, at: number): boolean {
  return (isRecord(call) && typeof call.index === 'number' ? call.index : at) === 0;
}

/** Reports whether nothing is left in a chunk. */
function isBlank({ choices, usage }: Fields): boolean {
  if (!Array.isArray(choices) || isRecord(usage)) return false;
  return choices.every(
    (choice) =>
      isRecord(choice) &&
      isRecord(choice.delta) &&
      Object.values(choice.delta).every((value) => value === null || value === '') &&
      (choice.finish_reason ?? null) === null,
  );
}
