import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { TextCall } from '../text/dialect.ts';
import type { ResponsesRepairState } from './response-state.ts';

/** Whether there are calls that came as items, and whether all of these calls are among them. */
export function isAmongGiven(
  calls: readonly TextCall[],
  { completed }: ResponsesRepairState,
): 'none' | 'same' | 'others' {
  const given = completed.flatMap(({ went }) => (went !== undefined && isCallItem(went) ? [went] : []));
  if (given.length === 0) return 'none';
  const known = new Set(given.map((item) => callSignature(item.name, item.arguments ?? item.input)));
  return calls.every((call) => known.has(callSignature(call.name, call.arguments))) ? 'same' : 'others';
}

export function isCallItem({ type }: Fields): boolean {
  return type === 'function_call' || type === 'custom_tool_call' || type === 'local_shell_call';
}

/** The same for calls that are the same, however their arguments are written. */
export function callSignature(name: unknown, text: unknown): string {
  return JSON.stringify([name, comparable(text)]);
}

/** What is no JSON, or too deep to be walked through, is compared as it is. */
function comparable(text: unknown): unknown {
  try {
    return sorted(typeof text === 'string' ? JSON.parse(text) : text);
  } catch {
    return text;
  }
}

/** The same value with the fields of its objects in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return fields.map(([name, field]) => [name, sorted(field)]);
}
