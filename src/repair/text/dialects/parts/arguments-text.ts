import { repairJson } from '../../../arguments/repair-json.ts';
import type { RepairTool } from '../../../context.ts';
import type { Cursor } from '../../cursor.ts';
import { peekLiteral } from './literals.ts';
import type { DialectReading } from './reading.ts';

/** Returns the arguments of a call from their JSON text: an object, or a string that holds one. Undefined otherwise. */
export function argumentsText(json: string, tool: RepairTool | undefined): string | undefined {
  if (json === 'null') return '{}';
  if (json.startsWith('{')) return repairedObject(json, tool);
  if (!json.startsWith('"')) return undefined;
  const text: string = JSON.parse(json);
  const inner = text.trim();
  if (inner === '') return '{}';
  if (inner.startsWith('{')) return repairedObject(inner, tool);
  // This tool accepts a free text.
  return tool !== undefined && tool.schema === undefined ? `{"input":${json}}` : undefined;
}

/**
 * Reads a JSON object as arguments. One of `ends` in its place means that there are no arguments. Undefined if neither
 * comes.
 */
export function* readArguments(
  cursor: Cursor,
  tool: RepairTool | undefined,
  ends: readonly string[],
): DialectReading<string | undefined> {
  yield* cursor.space();
  if ((yield* cursor.peek()) === '{') {
    cursor.begin();
    const json = yield* cursor.json();
    // After a bracket alone the arguments may still follow.
    return !cursor.jsonIsWhole && json.trim() === '{' ? undefined : repairedObject(json, tool);
  }
  return (yield* peekLiteral(cursor, ends)) === undefined ? undefined : '{}';
}

function repairedObject(text: string, tool: RepairTool | undefined): string | undefined {
  const repaired = repairJson(text, tool?.schema);
  return repaired?.trimStart().startsWith('{') ? repaired : undefined;
}
