import { isRecord } from '../../base/json-schema.ts';
import { absolutePath } from './absolute-path.ts';
import { type FoundValue, wrongValue } from './layers.ts';
import type { SettingsReader } from './settings-reader.ts';

/** Kind of value: what is accepted, and how it is read. */
export interface Kind<V> {
  readonly expected: string;
  /** Returns the value at a path, if there is one. Throws `UserError` for a value that is not accepted. */
  read(reader: SettingsReader, path: readonly string[]): V | undefined;
}

/** Returns a kind of value that `is` recognizes. */
export function checked<V>(expected: string, is: (value: unknown) => value is V): Kind<V> {
  return parsed(expected, ({ value }) => (is(value) ? value : undefined));
}

/** Returns a kind of value that `parse` reads. For a value that is not accepted `parse` returns undefined. */
export function parsed<V>(
  expected: string,
  parse: (found: FoundValue, reader: SettingsReader) => V | undefined,
): Kind<V> {
  return {
    expected,
    read(reader, path) {
      const found = reader.found(path);
      if (found === undefined) return undefined;
      const value = parse(found, reader);
      if (value === undefined) throw wrongValue(path, expected, found);
      return value;
    },
  };
}

/** Returns the kind with those values of another kind that `is` accepts. */
export function refined<V>(kind: Kind<V>, expected: string, is: (value: V) => boolean): Kind<V> {
  return {
    expected,
    read(reader, path) {
      const value = kind.read(reader, path);
      const found = reader.found(path);
      if (value === undefined || found === undefined || is(value)) return value;
      throw wrongValue(path, expected, found);
    },
  };
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0;
export const isStrings = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isString);

export const TEXT = checked('a string', isString);
export const TEXTS = checked('a list of strings', isStrings);
export const COUNT = checked('a number that is not negative', isCount);
export const FLAG = checked('true or false', isBoolean);

/** True, false, or a table whose `enabled` says so. A table without `enabled` means true. */
export const TOGGLE = parsed('true, false or a table with `enabled`', ({ value }) => {
  if (!isRecord(value)) return isBoolean(value) ? value : undefined;
  const { enabled = true } = value;
  return isBoolean(enabled) ? enabled : undefined;
});

/** Absolute path. A relative one starts at the folder of the file that names it. An empty one counts as not set. */
export const FILE: Kind<string> = {
  expected: TEXT.expected,
  read(reader, path) {
    const name = TEXT.read(reader, path);
    const folder = reader.found(path)?.layer.folder;
    return name && folder !== undefined ? absolutePath(name, folder, reader.userFolder) : undefined;
  },
};

/** Absolute paths, relative ones as in `FILE`. */
export const FILES: Kind<readonly string[]> = parsed(TEXTS.expected, ({ value, layer }, { userFolder }) =>
  isStrings(value) ? value.map((path) => absolutePath(path, layer.folder, userFolder)) : undefined,
);

/** Table whose names the user chooses and whose values are all strings. Its key ends with `*`. */
export const TEXT_MAP: Kind<Readonly<Record<string, string>>> = {
  expected: TEXT.expected,
  read: (reader, path) =>
    Object.fromEntries(reader.keys(path).map((name) => [name, TEXT.read(reader, [...path, name]) ?? ''])),
};

export function oneOf<const V extends string>(...values: readonly V[]): Kind<V> {
  return checked(`one of ${quoted(values)}`, (value): value is V => (values as readonly unknown[]).includes(value));
}

export function someOf<const V extends string>(...values: readonly V[]): Kind<readonly V[]> {
  return checked(
    `a list of ${quoted(values)}`,
    (value): value is readonly V[] =>
      isStrings(value) && value.every((entry) => (values as readonly string[]).includes(entry)),
  );
}

function quoted(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(', ');
}
