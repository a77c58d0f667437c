import { isRecord } from '../../base/json-schema.ts';
import { MAX_DEPTH } from '../limits.ts';
import { giveUp, type ResponsesRepairState } from './response-state.ts';

export const TOO_DEEP = `The arguments of a call are nested deeper than ${MAX_DEPTH} levels.`;

/**
 * Returns arguments as a text (C1). Undefined if there are no arguments, or if they are nested too deep; then the
 * response is given up.
 */
export function argumentText(
  value: unknown,
  callId: string | undefined,
  response: ResponsesRepairState,
): string | undefined {
  if (typeof value === 'string' || value === undefined) return value;
  if (isTooDeep(value)) {
    giveUp(TOO_DEEP, response);
    return undefined;
  }
  const text = value === null ? '{}' : JSON.stringify(value);
  response.reporter.report('C1', { callId, before: value, after: text });
  return text;
}

/** Returns the input of a tool that accepts a text (C1). */
export function inputText(
  value: unknown,
  callId: string | undefined,
  response: ResponsesRepairState,
): string | undefined {
  if (typeof value === 'string' || value === undefined) return value;
  const text = value === null ? '' : (singleText(value) ?? argumentText(value, callId, response));
  if (text !== undefined) response.reporter.report('C1', { callId, before: value, after: text });
  return text;
}

/** Returns a text that stands alone, is the only field of an object, or follows the name of a command. */
function singleText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!isRecord(value)) return undefined;
  const fields = Object.values(value);
  const [only] = fields;
  if (fields.length !== 1) return undefined;
  if (typeof only === 'string') return only;
  const isCommand = Array.isArray(only) && only.length === 2 && only.every((word) => typeof word === 'string');
  return isCommand ? String(only[1]) : undefined;
}

function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((entry) => (typeof entry === 'object' && entry !== null ? Object.values(entry) : []));
  }
  return false;
}
