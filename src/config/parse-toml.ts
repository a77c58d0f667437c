import { parse, TomlError } from 'smol-toml';
import { messageOf, UserError } from '../base/errors.ts';
import type { Layer } from './layers.ts';

/** The table of a TOML text. A mistake in it is a `UserError` that names the source. */
export function parseToml(text: string, origin: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    throw new UserError(`${origin} is not valid TOML${placeOf(error)}.`);
  }
}

/** The parser's message quotes the lines around the mistake, and a key may stand in them: only its first line is shown. */
function placeOf(error: unknown): string {
  const [reason = ''] = messageOf(error).replace('Invalid TOML document: ', '').split('\n');
  const place = error instanceof TomlError ? ` at line ${error.line}, column ${error.column}` : '';
  return `${place}: ${reason.trim()}`;
}

/** What `-c key=value` says: a dotted path and a TOML value; what is no TOML value is taken as a string. */
export function parseOverride(override: string): Pick<Layer, 'origin' | 'table'> {
  const equals = override.indexOf('=');
  const path = override.slice(0, equals).trim();
  if (equals < 1 || path === '') throw new UserError(`-c ${override}: expected key=value, such as -c model="gpt-5.5".`);
  const value = tomlValue(override.slice(equals + 1).trim());
  return { origin: `-c ${path}`, table: nested(pathOf(path), value) };
}

function pathOf(path: string): string[] {
  let table: unknown = parseToml(`${path} = 0`, `-c ${path}=…: the key`);
  const keys: string[] = [];
  while (typeof table === 'object' && table !== null) {
    const [entry] = Object.entries(table);
    if (!entry) break;
    keys.push(entry[0]);
    table = entry[1];
  }
  return keys;
}

function tomlValue(text: string): unknown {
  try {
    return parse(`value = ${text}`).value;
  } catch {
    return text;
  }
}

function nested(path: readonly string[], value: unknown): Record<string, unknown> {
  const [key = '', ...rest] = path;
  return { [key]: rest.length === 0 ? value : nested(rest, value) };
}
