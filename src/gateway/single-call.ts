import { isRecord } from '../base/json-schema.ts';
import type { Frame, WireName } from '../base/wire.ts';
import { editField, mapList, sameOr, withoutFields } from '../wire/edit-fields.ts';
import { frameValue, madeFrame } from '../wire/frames.ts';
import type { Fields } from '../wire/request-fields.ts';

/**
 * For clients that take only the first call of a response: leaves the others out of its mended frames. Gives undefined
 * for a frame of which nothing is left; `onDrop` is told the first time that something was left out.
 */
export function firstCallOnly(wire: WireName, onDrop: () => void): (frame: Frame) => Frame | undefined {
  const first = wire === 'chat' ? firstOfChunks() : firstOfEvents();
  let dropped = false;
  return (frame) => {
    const value = frameValue(frame);
    if (!isRecord(value)) return frame;
    const kept = first(value);
    if (kept === value) return frame;
    if (!dropped) onDrop();
    dropped = true;
    return kept === undefined ? undefined : madeFrame(kept, frame.event);
  };
}

type First = (value: Fields) => Fields | undefined;

function firstOfChunks(): First {
  const isFirst = (call: unknown, at: number) =>
    (isRecord(call) && typeof call.index === 'number' ? call.index : at) === 0;
  const keep = (message: unknown) => {
    if (!isRecord(message) || !Array.isArray(message.tool_calls)) return message;
    const calls = sameOr(message.tool_calls, message.tool_calls.filter(isFirst));
    if (calls === message.tool_calls) return message;
    return calls.length === 0 ? withoutFields(message, ['tool_calls']) : { ...message, tool_calls: calls };
  };
  return (chunk) => {
    const kept = editField(chunk, 'choices', (choices) =>
      mapList(choices, (choice) =>
        isRecord(choice) ? editField(editField(choice, 'delta', keep), 'message', keep) : choice,
      ),
    );
    return kept !== chunk && isBlank(kept) ? undefined : kept;
  };
}

/** Whether a chunk says nothing any more. */
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

function firstOfEvents(): First {
  const left = new Set<unknown>();
  let first: unknown;
  const onlyFirst = (output: unknown) => {
    if (!Array.isArray(output)) return output;
    const calls = output.filter(isCall);
    const rest = new Set<unknown>(calls.slice(1));
    return sameOr(
      output,
      output.filter((item) => !rest.has(item)),
    );
  };
  return (event) => {
    if (event.type === undefined) return editField(event, 'output', onlyFirst);
    if (isRecord(event.response)) {
      return editField(event, 'response', (response) =>
        isRecord(response) ? editField(response, 'output', onlyFirst) : response,
      );
    }
    const { output_index: at } = event;
    if (event.type === 'response.output_item.added' && isCall(event.item)) {
      first ??= at;
      if (at !== first) left.add(at);
    }
    return left.has(at) ? undefined : event;
  };
}

const CALLS: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call', 'local_shell_call']);

function isCall(item: unknown): boolean {
  return isRecord(item) && CALLS.has(item.type);
}
