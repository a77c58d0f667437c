import type { Kind } from './kinds.ts';
import type { ProjectLimit } from './project-limit.ts';
import type { SettingsReader } from './settings-reader.ts';

/**
 * Setting of config.toml. Its entry in a table is the only place that names it: the reader, the list of known keys, the
 * output of `oxbow config` and the tables of docs/configuration.md follow from the entry and its doc comment. `T` is the
 * type of its value in `Config`.
 */
export interface Setting<T> {
  /** Dotted key. `*` stands for a name that the user chooses. */
  readonly key: string;
  /** Accepted values, as in "KEY must be …". */
  readonly expected: string;
  /** Value of a setting that is not set, or how to compute that value. */
  readonly default: T | ((reader: SettingsReader) => T);
  /** Environment variable that sets it. */
  readonly variable: string | undefined;
  /** The same setting under its older name. It is read when this one is not set. */
  readonly older: Setting<unknown> | undefined;
  /** Limit on the values that a project may set. */
  readonly projectLimit: ProjectLimit | undefined;
  /**
   * Returns its value, if it is set. `names` stand in for each `*` of its key. Throws `UserError` for a value that is not
   * accepted.
   */
  given(reader: SettingsReader, names?: readonly string[]): NonNullable<T> | undefined;
}

export interface SettingOptions<V, D> {
  /** Absent: null. */
  readonly default?: D | ((reader: SettingsReader) => D);
  readonly variable?: string;
  readonly older?: Setting<V | null>;
  readonly projectLimit?: ProjectLimit;
}

/** Makes a setting. The type of its value includes null if its default does. */
export function setting<V, const D extends V | null = null>(
  key: string,
  { expected, read }: Kind<V>,
  options: SettingOptions<NoInfer<V>, D> = {},
): Setting<null extends D ? V | null : V> {
  const { older } = options;
  // A spread would cost too much: this runs a hundred times at every start.
  const made: Setting<V | null> = {
    key,
    expected,
    default: options.default ?? null,
    variable: options.variable,
    older,
    projectLimit: options.projectLimit,
    given: (reader, names = []) => read(reader, pathOf(key, names)) ?? older?.given(reader, names),
  };
  return made as Setting<null extends D ? V | null : V>;
}

/** Settings by the names of their fields in `Config`. */
export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** Values of a table. A setting without a value has its default. */
export type ValuesOf<T extends SettingsTable> = { readonly [K in keyof T]: ValueOf<T[K]> };

/** Values of a table that are set. The others are absent. */
export type GivenValues<T extends SettingsTable> = { readonly [K in keyof T]?: NonNullable<ValueOf<T[K]>> };

/** Returns the value of a setting, or its default. */
export function readSetting<T>(setting: Setting<T>, reader: SettingsReader): T {
  return setting.given(reader) ?? defaultOf(setting, reader);
}

/** Returns the value of each setting of a table, or its default. */
export function readTable<T extends SettingsTable>(table: T, reader: SettingsReader): ValuesOf<T> {
  const values: Record<string, unknown> = {};
  for (const [field, setting] of Object.entries(table)) values[field] = readSetting(setting, reader);
  return values as ValuesOf<T>;
}

/**
 * Returns the values of a table that are set. Defaults are left out, since they would hide the values of a built-in
 * entry.
 */
export function readGiven<T extends SettingsTable>(
  table: T,
  reader: SettingsReader,
  ...names: readonly string[]
): GivenValues<T> {
  const values: Record<string, unknown> = {};
  for (const [field, setting] of Object.entries(table)) {
    const value = setting.given(reader, names);
    if (value !== undefined) values[field] = value;
  }
  return values as GivenValues<T>;
}

export function defaultOf<T>(setting: Setting<T>, reader: SettingsReader): T {
  return typeof setting.default === 'function'
    ? (setting.default as (reader: SettingsReader) => T)(reader)
    : setting.default;
}

/**
 * Returns the path of a key. Each `*` is replaced by a name; a last `*` without a name is dropped, which leaves the
 * path of the table.
 */
function pathOf(key: string, names: readonly string[]): string[] {
  if (!key.includes('*')) return key.split('.');
  let used = 0;
  return key.split('.').flatMap((word) => (word === '*' ? names.slice(used, ++used) : [word]));
}
