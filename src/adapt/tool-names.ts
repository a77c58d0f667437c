import { isRecord } from '../base/json-schema.ts';
import { editField, mapEntries, mapList } from '../wire/fields/edit-fields.ts';
import type { Fields } from '../wire/fields/request-fields.ts';
import type { AdaptRules, Rename } from './adapt-rules.ts';
import { editHistory } from './history.ts';

/** Returns the request with all tool names mapped; the same request if no name changes. */
export function renameRequest(rules: AdaptRules, body: Fields, rename: Rename): Fields {
  const named = editField(body, 'tools', (tools) => renameTools(tools, rename));
  const chosen = editField(named, 'tool_choice', (choice) => renameChoice(choice, rename));
  return editHistory(rules, chosen, (history) => mapEntries(history, (entry) => rules.renameEntry(entry, rename)));
}

/** Maps the names in a list of tools of any wire, including tools in namespaces. */
export function renameTools(tools: unknown, rename: Rename, depth = 0): unknown {
  return mapList(tools, (tool) => {
    if (!isRecord(tool) || depth > MAX_DEPTH) return tool;
    return editField(renameOwn(tool, rename), 'tools', (members) => renameTools(members, rename, depth + 1));
  });
}

const MAX_DEPTH = 4;

export function renameChoice(choice: unknown, rename: Rename): unknown {
  // Tools of a remote server keep the names that they have there.
  if (!isRecord(choice) || choice.type === 'mcp') return choice;
  const named = editField(renameOwn(choice, rename), 'tools', (tools) => renameTools(tools, rename));
  return editField(named, 'allowed_tools', (allowed) =>
    isRecord(allowed) ? editField(allowed, 'tools', (tools) => renameTools(tools, rename)) : allowed,
  );
}

function renameOwn(tool: Fields, rename: Rename): Fields {
  return renameInner(renameField(tool, 'name', rename), rename);
}

/** Returns a tool, a choice or a call with the inner name mapped. */
export function renameInner(record: Fields, rename: Rename): Fields {
  const named = editField(record, 'function', (inner) => renameHolder(inner, rename));
  return editField(named, 'custom', (inner) => renameHolder(inner, rename));
}

export function renameHolder(value: unknown, rename: Rename): unknown {
  return isRecord(value) ? renameField(value, 'name', rename) : value;
}

export function renameField(record: Fields, field: string, rename: Rename): Fields {
  return editField(record, field, (name) => (typeof name === 'string' ? rename(name) : name));
}
