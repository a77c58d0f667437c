/** The part of `node:sqlite` that is used. */
export interface Sqlite {
  readonly DatabaseSync: new (
    path: string,
  ) => {
    exec(sql: string): void;
    prepare(sql: string): { run(...values: readonly (string | number | null)[]): unknown };
    close(): void;
  };
}

/**
 * Returns `node:sqlite`, or undefined where Node has none: before version 22.13.
 *
 * Relies on Node warning about an experimental module while it loads it, through `process.emitWarning`, which does nothing
 * meanwhile. Without that, the warning would be printed among the output of a command.
 */
export function loadSqlite(): Sqlite | undefined {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite') as Sqlite | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}
