import { UserError } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';
import { keysBelow, type Layer, lookup } from './layers.ts';

/** Typed access to the layers. A value of the wrong type is a `UserError` that names its key and where it stands. */
export interface Settings {
  string(...path: string[]): string | undefined;
  number(...path: string[]): number | undefined;
  boolean(...path: string[]): boolean | undefined;
  strings(...path: string[]): string[] | undefined;
  /** A table whose values are all strings. */
  stringTable(...path: string[]): Record<string, string>;
  oneOf<const T extends string>(values: readonly T[], ...path: string[]): T | undefined;
  keys(...path: string[]): string[];
}

export function readSettings(layers: readonly Layer[]): Settings {
  function read<T>(path: string[], expected: string, is: (value: unknown) => value is T): T | undefined {
    const found = lookup(layers, path);
    if (found === undefined || is(found.value)) return found?.value as T | undefined;
    throw new UserError(`${path.join('.')} must be ${expected}, not ${show(found.value)} (${found.origin}).`);
  }
  const settings: Settings = {
    string: (...path) => read(path, 'a string', isString),
    number: (...path) => read(path, 'a number that is not negative', isCount),
    boolean: (...path) => read(path, 'true or false', isBoolean),
    strings: (...path) => read(path, 'a list of strings', isStrings),
    oneOf: (values, ...path) =>
      read(
        path,
        `one of ${values.map((value) => `"${value}"`).join(', ')}`,
        (value): value is (typeof values)[number] => (values as readonly unknown[]).includes(value),
      ),
    keys: (...path) => {
      read(path, 'a table', isRecord);
      return keysBelow(layers, path);
    },
    stringTable: (...path) =>
      Object.fromEntries(settings.keys(...path).map((key) => [key, settings.string(...path, key) ?? ''])),
  };
  return settings;
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0;
const isStrings = (value: unknown): value is string[] => Array.isArray(value) && value.every(isString);

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
