import { isRecord } from '../../base/json-schema.ts';
import type { EdgeWire } from '../edge/edge-wire.ts';
import { editField, sameOr } from '../fields/edit-fields.ts';

export const firstCallOnly: EdgeWire['firstCallOnly'] = () => {
  const left = new Set<unknown>();
  let first: unknown;
  return (event) => {
    if (event.type === undefined) return editField(event, 'output', keepFirst);
    if (isRecord(event.response)) {
      return editField(event, 'response', (response) =>
        isRecord(response) ? editField(response, 'output', keepFirst) : response,
      );
    }
    const { output_index: at } = event;
    if (event.type === 'response.output_item.added' && isCall(event.item)) {
      first ??= at;
      if (at !== first) left.add(at);
    }
    return left.has(at) ? undefined : event;
  };
};

function keepFirst(output: unknown): unknown {
  if (!Array.isArray(output)) return output;
  const rest = new Set<unknown>(output.filter(isCall).slice(1));
  return sameOr(
    output,
    output.filter((item) => !rest.has(item)),
  );
}

const CALLS: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call', 'local_shell_call']);

function isCall(item: unknown): boolean {
  return isRecord(item) && CALLS.has(item.type);
}
