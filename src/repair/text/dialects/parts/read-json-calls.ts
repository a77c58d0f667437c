import type { JsonSchema } from '../../../../base/json-schema.ts';
import type { Cursor } from '../../cursor.ts';
import type { TextCall } from '../../dialect.ts';
import { argumentsText } from './arguments-text.ts';
import { declaredName } from './declared-name.ts';
import { itemsOf, membersOf } from './json-parts.ts';
import { takeAfterSpace } from './literals.ts';
import { mayBeCall, startsJson } from './may-be-call.ts';
import { propertySchema } from './parameter-text.ts';
import type { DialectReading, Tools } from './reading.ts';
import { repairValue } from './repair-value.ts';

/** Key of the arguments. `any`: either key, or no arguments. `needed`: either key. `parameters`: that key only. */
export type ArgumentsKey = 'any' | 'needed' | 'parameters';

/** Reads calls in JSON, one after the other, with or without commas or semicolons between them. */
export function* readJsonCalls(
  cursor: Cursor,
  tools: Tools,
  key: ArgumentsKey,
): DialectReading<TextCall[] | undefined> {
  const calls: TextCall[] = [];
  do {
    const more = yield* readJsonValue(cursor, tools, key);
    if (more === undefined) return undefined;
    for (const call of more) calls.push(call);
    yield* takeAfterSpace(cursor, SEPARATORS);
    yield* cursor.space();
  } while ((yield* cursor.peek()) === '{');
  return calls;
}

const SEPARATORS = [',', ';'];

/** Reads one JSON value that is a call or a list of calls. Undefined if it cannot be read. */
export function* readJsonValue(
  cursor: Cursor,
  tools: Tools,
  key: ArgumentsKey,
): DialectReading<readonly TextCall[] | undefined> {
  const isCall = yield* mayBeCall(cursor, tools);
  if (!isCall && !(yield* startsJson(cursor))) return undefined;
  if (!isCall) cursor.reject();
  cursor.begin();
  const text = yield* cursor.json();
  if (!isCall) return [];
  // After a bracket alone the arguments may still follow.
  if (!cursor.jsonIsWhole && /\{\s*$/.test(text.slice(-20))) return undefined;
  const repaired = repairValue(text)?.trim();
  if (repaired === undefined) return undefined;
  const calls: TextCall[] = [];
  for (const object of repaired.startsWith('[') ? itemsOf(repaired) : [repaired]) {
    const call = callOf(object, tools, key === 'any' && !isClosed(text) ? 'needed' : key);
    if (call === undefined) cursor.reject();
    else calls.push(call);
  }
  return calls;
}

/** Reports whether the text has its last bracket. Otherwise the arguments may have been about to follow. */
function isClosed(text: string): boolean {
  return /[}\]]\s*$/.test(text.slice(-20));
}

function callOf(object: string, tools: Tools, key: ArgumentsKey): TextCall | undefined {
  if (!object.startsWith('{')) return undefined;
  const members = membersOf(object);
  const inner = members.get('function');
  const call = inner?.startsWith('{') ? membersOf(inner) : members;
  const name = declaredName(textOf(call.get('name')), tools);
  if (name === undefined || isDeclaration(call, tools.get(name)?.schema)) return undefined;
  const written = argumentsOf(call, key);
  const text = written === undefined ? undefined : argumentsText(written, tools.get(name));
  return text === undefined ? undefined : { name, arguments: text };
}

function textOf(json: string | undefined): string | undefined {
  return json?.startsWith('"') ? JSON.parse(json) : undefined;
}

function argumentsOf(call: ReadonlyMap<string, string>, key: ArgumentsKey): string | undefined {
  if (key === 'parameters') return call.get('parameters');
  return call.get('arguments') ?? call.get('parameters') ?? (key === 'any' && isBare(call) ? '{}' : undefined);
}

/** Reports whether a call has no key that may be an argument. */
function isBare(call: ReadonlyMap<string, string>): boolean {
  return [...call.keys()].every((key) => BARE_KEYS.includes(key));
}

const BARE_KEYS = ['name', 'type', 'id', 'call_id', 'index'];

/** Reports whether an object is the declaration of a tool: models also recite their tools. */
function isDeclaration(call: ReadonlyMap<string, string>, schema: JsonSchema | undefined): boolean {
  if (call.has('description') && !call.has('arguments')) return true;
  const parameters = call.get('parameters');
  if (!parameters?.startsWith('{') || propertySchema(schema, 'properties') !== undefined) return false;
  const members = membersOf(parameters);
  return members.get('type') === '"object"' && members.has('properties');
}
