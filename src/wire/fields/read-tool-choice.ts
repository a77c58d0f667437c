import { isRecord } from '../../base/json-schema.ts';
import type { ToolChoice } from '../../base/model.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { type Fields, string, wrong } from './request-fields.ts';

export interface ChosenTools {
  readonly toolChoice: ToolChoice;
  readonly tools: readonly ToolSpec[];
}

/**
 * Reads a client's `tool_choice`, in the form of either wire, and filters the tools by it. A choice of a tool without a
 * name is a demand if that tool is the only one. Otherwise it counts as `auto`, as it does for servers that do not know
 * it.
 */
export function readToolChoice(value: unknown, tools: readonly ToolSpec[]): ChosenTools {
  if (value === undefined || value === null) return { toolChoice: 'auto', tools };
  if (value === 'any') return { toolChoice: 'required', tools };
  if (value === 'auto' || value === 'none' || value === 'required') return { toolChoice: value, tools };
  if (!isRecord(value)) throw wrong(FIELD, '"auto", "none", "required" or an object that names a tool');
  const { type } = value;
  if (type === 'function' || type === 'custom') return { toolChoice: { type, name: chosenName(value, type) }, tools };
  if (type === 'allowed_tools') return allowedTools(value, tools);
  return { toolChoice: tools.length === 1 && tools[0]?.type === type ? 'required' : 'auto', tools };
}

const FIELD = 'tool_choice';

function chosenName(choice: Fields, type: 'function' | 'custom'): string {
  const nested = choice[type];
  return isRecord(nested) ? string(nested.name, `${FIELD}.${type}.name`) : string(choice.name, `${FIELD}.name`);
}

/** Filters the tools instead of sending the choice: few servers know this form. */
function allowedTools(choice: Fields, tools: readonly ToolSpec[]): ChosenTools {
  const { mode, tools: allowed } = isRecord(choice.allowed_tools) ? choice.allowed_tools : choice;
  const toolChoice = mode === 'required' ? 'required' : 'auto';
  if (!Array.isArray(allowed)) return { toolChoice, tools };
  const keys = new Set(allowed.filter(isRecord).map(keyOf));
  return { toolChoice, tools: tools.filter((tool) => keys.has(keyOf(tool))) };
}

/** Returns the key of a tool: its name, or its type if it has no name. */
function keyOf(tool: Fields): unknown {
  const nested = [tool.function, tool.custom].find(isRecord);
  return (nested ?? tool).name ?? tool.type;
}
