import { isRecord } from '../../base/json-schema.ts';
import { absolutePath } from './absolute-path.ts';
import { type FoundSettings, keysBelow, type Layer, lookup, wrongValue } from './layers.ts';

/** Typed access to the layers. A value of the wrong type is a `UserError` that names its key and where it stands. */
export interface Settings {
  string(...path: string[]): string | undefined;
  number(...path: string[]): number | undefined;
  boolean(...path: string[]): boolean | undefined;
  /** True, false, or a table whose `enabled` says so; a table without it means true. */
  toggle(...path: string[]): boolean | undefined;
  strings(...path: string[]): string[] | undefined;
  /** An absolute path; a relative one starts at the folder of the file that it stands in. */
  file(...path: string[]): string | undefined;
  /** A table whose values are all strings. */
  stringTable(...path: string[]): Record<string, string>;
  oneOf<const T extends string>(values: readonly T[], ...path: string[]): T | undefined;
  someOf<const T extends string>(values: readonly T[], ...path: string[]): T[] | undefined;
  keys(...path: string[]): string[];
  /** Whatever stands there. */
  found(...path: string[]): FoundSettings | undefined;
}

/** `userFolder` is what `~` stands for. */
export function readSettings(layers: readonly Layer[], userFolder: string): Settings {
  function read<T>(path: string[], expected: string, is: (value: unknown) => value is T): T | undefined {
    const found = lookup(layers, path);
    if (found === undefined || is(found.value)) return found?.value as T | undefined;
    throw wrongValue(path, expected, found);
  }
  const settings: Settings = {
    string: (...path) => read(path, 'a string', isString),
    number: (...path) => read(path, 'a number that is not negative', isCount),
    boolean: (...path) => read(path, 'true or false', isBoolean),
    toggle(...path) {
      const value = read(path, 'true, false or a table with `enabled`', isToggle);
      return isRecord(value) ? (value.enabled ?? true) : value;
    },
    strings: (...path) => read(path, 'a list of strings', isStrings),
    file(...path) {
      const found = lookup(layers, path);
      const value = settings.string(...path);
      return found && value ? absolutePath(value, found.layer.folder, userFolder) : undefined;
    },
    oneOf: (values, ...path) =>
      read(
        path,
        `one of ${values.map((value) => `"${value}"`).join(', ')}`,
        (value): value is (typeof values)[number] => (values as readonly unknown[]).includes(value),
      ),
    someOf: (values, ...path) =>
      read(
        path,
        `a list of ${values.map((value) => `"${value}"`).join(', ')}`,
        (value): value is (typeof values)[number][] =>
          isStrings(value) && value.every((entry) => (values as readonly string[]).includes(entry)),
      ),
    keys: (...path) => keysBelow(layers, path),
    stringTable: (...path) =>
      Object.fromEntries(settings.keys(...path).map((key) => [key, settings.string(...path, key) ?? ''])),
    found: (...path) => lookup(layers, path),
  };
  return settings;
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0;
const isStrings = (value: unknown): value is string[] => Array.isArray(value) && value.every(isString);
const isToggle = (value: unknown): value is boolean | { enabled?: boolean } =>
  isBoolean(value) || (isRecord(value) && (value.enabled === undefined || isBoolean(value.enabled)));
