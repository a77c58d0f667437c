import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import { editField, mapList } from '../edit-fields.ts';
import { frameValue, madeFrame, withValue } from '../frames.ts';
import type { Fields } from '../request-fields.ts';
import type { AdaptWire } from './history.ts';
import { type Rename, renameChoice, renameField, renameItem, renameMessage, renameTools } from './tool-names.ts';

/**
 * Maps the names of calls in a response back to those of the request it answers. Names must come whole, so it stands
 * behind the repair. A frame without a name that was mapped keeps its bytes.
 */
export function restoreNames(wire: AdaptWire, restoreName: Rename): (frame: Frame) => Frame {
  const restore = wire === 'chat' ? restoreChunk : restoreEvent;
  return (frame) => {
    // A frame that somebody made writes its text only when it is asked for.
    if (frame.json === undefined && !frame.data.includes('"name"')) return frame;
    const value = frameValue(frame);
    if (!isRecord(value)) return frame;
    const restored = restore(value, restoreName);
    if (restored !== value) return madeFrame(restored, frame.event);
    return frame.json === undefined ? withValue(frame, value) : frame;
  };
}

function restoreChunk(chunk: Fields, restoreName: Rename): Fields {
  const restoreIn = (message: unknown) => renameMessage(message, restoreName);
  return editField(chunk, 'choices', (choices) =>
    mapList(choices, (choice) =>
      isRecord(choice) ? editField(editField(choice, 'delta', restoreIn), 'message', restoreIn) : choice,
    ),
  );
}

/** An event, or a whole response. */
function restoreEvent(event: Fields, restoreName: Rename): Fields {
  const item = editField(event, 'item', (value) => renameItem(value, restoreName));
  const named = event.type === ARGUMENTS_DONE ? renameField(item, 'name', restoreName) : item;
  const within = editField(named, 'response', (response) =>
    isRecord(response) ? restoreResponse(response, restoreName) : response,
  );
  return event.type === undefined ? restoreResponse(within, restoreName) : within;
}

const ARGUMENTS_DONE = 'response.function_call_arguments.done';

/** Servers repeat in it what the request said. */
function restoreResponse(response: Fields, restoreName: Rename): Fields {
  const output = editField(response, 'output', (items) => mapList(items, (item) => renameItem(item, restoreName)));
  const tools = editField(output, 'tools', (list) => renameTools(list, restoreName));
  return editField(tools, 'tool_choice', (choice) => renameChoice(choice, restoreName));
}
