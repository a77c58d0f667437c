import { parse, TomlError } from 'smol-toml';
import { messageOf, UserError } from '../base/errors.ts';
import type { Layer } from './setting/layers.ts';

/** Parses a TOML text. Throws `UserError` that names the source of a mistake. */
export function parseToml(text: string, origin: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    throw new UserError('invalid_config', `${origin} is not valid TOML${describeMistake(error)}.`);
  }
}

/**
 * Returns the place of a mistake and its reason. Only the first line of the parser's message is shown: the message
 * quotes the lines around the mistake, and a key may stand in them.
 */
function describeMistake(error: unknown): string {
  const [reason = ''] = messageOf(error).replace('Invalid TOML document: ', '').split('\n');
  const place = error instanceof TomlError ? ` at line ${error.line}, column ${error.column}` : '';
  return `${place}: ${reason.trim()}`;
}

/**
 * Parses an override: a dotted path and a TOML value. A text that is not a TOML value counts as a string. In messages,
 * `origin` stands before the key.
 */
export function parseOverride(override: string, origin: string): Pick<Layer, 'origin' | 'table'> {
  const equals = override.indexOf('=');
  const path = override.slice(0, equals).trim();
  if (equals < 1 || path === '') {
    throw new UserError('invalid_config', `${origin} ${override}: expected key=value, such as model="gpt-5.5".`);
  }
  const value = tomlValue(override.slice(equals + 1).trim());
  return { origin: `${origin} ${path}`, table: nested(pathOf(path, origin), value) };
}

/** Reads a dotted key. Throws `UserError`. */
export function pathOf(path: string, origin: string): string[] {
  let table: unknown = parseToml(`${path} = 0`, `${origin} ${path}=…: the key`);
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
