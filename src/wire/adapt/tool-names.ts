import { isRecord } from '../../base/json-schema.ts';
import { editField, mapEntries, mapList } from '../edit-fields.ts';
import type { Fields } from '../request-fields.ts';
import { type AdaptWire, editHistory } from './history.ts';

export type Rename = (name: string) => string;

/** The request with the names of tools mapped, wherever they stand; the same request where all stay the same. */
export function renameRequest(wire: AdaptWire, body: Fields, rename: Rename): Fields {
  const named = editField(body, 'tools', (tools) => renameTools(tools, rename));
  const chosen = editField(named, 'tool_choice', (choice) => renameChoice(choice, rename));
  const renameEntry = wire === 'chat' ? renameMessage : renameItem;
  return editHistory(wire, chosen, (history) => mapEntries(history, (entry) => renameEntry(entry, rename)));
}

/** A list of tools, of either wire; a namespace may hold further ones. */
export function renameTools(tools: unknown, rename: Rename, depth = 0): unknown {
  return mapList(tools, (tool) => {
    if (!isRecord(tool) || depth > MAX_DEPTH) return tool;
    return editField(renameOwn(tool, rename), 'tools', (members) => renameTools(members, rename, depth + 1));
  });
}

const MAX_DEPTH = 4;

export function renameChoice(choice: unknown, rename: Rename): unknown {
  // The tools of a remote server keep the names that they have there.
  if (!isRecord(choice) || choice.type === 'mcp') return choice;
  const named = editField(renameOwn(choice, rename), 'tools', (tools) => renameTools(tools, rename));
  return editField(named, 'allowed_tools', (allowed) =>
    isRecord(allowed) ? editField(allowed, 'tools', (tools) => renameTools(tools, rename)) : allowed,
  );
}

/** A chat message, whole or a piece of one. */
export function renameMessage(message: unknown, rename: Rename): unknown {
  if (!isRecord(message)) return message;
  const called = editField(message, 'tool_calls', (calls) =>
    mapList(calls, (call) => (isRecord(call) ? renameInner(call, rename) : call)),
  );
  const legacy = editField(called, 'function_call', (call) => renameHolder(call, rename));
  const isResult = message.role === 'tool' || message.role === 'function';
  return isResult ? renameField(legacy, 'name', rename) : legacy;
}

/** An item of the Responses wire. */
export function renameItem(item: unknown, rename: Rename): unknown {
  if (!isRecord(item)) return item;
  if (item.type === 'function_call' || item.type === 'custom_tool_call') {
    return renameField(renameField(item, 'name', rename), 'namespace', rename);
  }
  return editField(item, 'tools', (tools) => renameTools(tools, rename));
}

function renameOwn(tool: Fields, rename: Rename): Fields {
  return renameInner(renameField(tool, 'name', rename), rename);
}

function renameInner(record: Fields, rename: Rename): Fields {
  const named = editField(record, 'function', (inner) => renameHolder(inner, rename));
  return editField(named, 'custom', (inner) => renameHolder(inner, rename));
}

function renameHolder(value: unknown, rename: Rename): unknown {
  return isRecord(value) ? renameField(value, 'name', rename) : value;
}

export function renameField(record: Fields, field: string, rename: Rename): Fields {
  return editField(record, field, (name) => (typeof name === 'string' ? rename(name) : name));
}
