import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../base/errors.ts';
import { fileFault } from '../base/file-fault.ts';
import { isRecord } from '../base/json-schema.ts';
import { parseToml } from './parse-toml.ts';
import { realPath } from './real-path.ts';
import { keyText } from './setting/key-text.ts';

/**
 * Writes a setting into the user's config.toml. All other lines and the comments stay as they are. `value` is a TOML
 * value. Throws `UserError`.
 */
export function setSetting(userFile: string, path: readonly string[], value: string): void {
  changeFile(userFile, (text) => withSetting(text, path, value, userFile));
}

/** Changes the text of the user's config.toml. A reader sees the old file or the new one. Throws `UserError`. */
export function changeFile(userFile: string, change: (text: string) => string): void {
  const file = existsSync(userFile) ? realPath(userFile) : userFile;
  const text = textOf(file);
  const changed = change(text);
  if (changed === text) return;
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, changed, { mode: 0o600, flag: 'wx' });
    if (existsSync(file)) chmodSync(temporary, statSync(file).mode & 0o777);
    renameSync(temporary, file);
  } catch (error) {
    if (existsSync(temporary)) rmSync(temporary);
    throw new UserError('storage', `${userFile} cannot be written: ${fileFault(error)}.`);
  }
}

function textOf(file: string): string {
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  } catch (error) {
    throw new UserError('storage', `${file} cannot be read: ${fileFault(error)}.`);
  }
}

/**
 * Returns a text of TOML in which a key has another value. Each way to write it is tried, and the first counts whose
 * meaning differs from the old one in this key alone.
 */
export function withSetting(text: string, path: readonly string[], value: string, file: string): string {
  const wanted = structuredClone(
    changed(parseToml(text, file), path, parseToml(`value = ${value}`, 'The value').value),
  );
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  for (const candidate of candidates(lines, path, value)) {
    const result = `${candidate.join('\n')}\n`;
    if (isDeepStrictEqual(parsed(result), wanted)) return result;
  }
  throw new UserError('invalid_config', `${file} has another form. Write into it: ${keyText(path)} = ${value}`);
}

/** Returns a table with another value at a path. */
export function changed(
  table: unknown,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const old = isRecord(table) ? table : {};
  return { ...old, [key]: rest.length === 0 ? value : changed(old[key], rest, value) };
}

/** Returns the meaning of a text of TOML. Undefined if it has none. */
export function parsed(text: string): unknown {
  try {
    // The parser's objects have no prototype, which counts in a comparison.
    return structuredClone(parseToml(text, ''));
  } catch {
    return undefined;
  }
}

/** Yields the lines with the key in each place where it may stand: its own, its table, the top, a new table. */
function* candidates(lines: readonly string[], path: readonly string[], value: string): Generator<string[]> {
  let table: readonly string[] = [];
  const places: { readonly after: number; readonly key: readonly string[] }[] = [];
  for (const [n, line] of lines.entries()) {
    const heading = headingOf(line);
    if (heading) {
      table = heading;
      if (isBelow(path, table)) places.push({ after: n + 1, key: path.slice(table.length) });
    } else if (isBelow(path, table) && isDeepStrictEqual(keyOf(line), path.slice(table.length))) {
      yield* replaced(lines, n, value);
    }
  }
  for (const { after, key } of places.sort((a, b) => a.key.length - b.key.length))
    yield lines.toSpliced(after, 0, `${keyText(key)} = ${value}`);
  const entry = `${keyText(path)} = ${value}`;
  const first = lines.findIndex((line) => headingOf(line) !== undefined || /^\s*\[/.test(line));
  if (path.length > 1)
    yield [
      ...lines,
      ...(lines.length === 0 ? [] : ['']),
      `[${keyText(path.slice(0, -1))}]`,
      `${keyText(path.slice(-1))} = ${value}`,
    ];
  yield first === -1 ? [...lines, entry] : lines.toSpliced(first, 0, entry, '');
}

/** Yields the lines with another value in one of them. The old value may go on for some lines. */
function* replaced(lines: readonly string[], at: number, value: string): Generator<string[]> {
  const line = lines[at] ?? '';
  const left = line.slice(0, line.indexOf('=') + 1);
  for (let end = at + 1; end <= lines.length; end++) {
    const old = lines.slice(at, end).join('\n');
    if (parsed(old) === undefined) continue;
    yield lines.toSpliced(at, end - at, `${left} ${value}${commentOf(old)}`);
    return;
  }
}

/** Returns the comment behind a value with the space before it. */
function commentOf(entry: string): string {
  const meaning = parsed(entry);
  for (let at = entry.indexOf('#'); at !== -1; at = entry.indexOf('#', at + 1)) {
    const before = entry.slice(0, at);
    if (isDeepStrictEqual(parsed(before), meaning)) return `${/\s*$/.exec(before)?.[0]}${entry.slice(at)}`;
  }
  return '';
}

const isBelow = (path: readonly string[], table: readonly string[]) =>
  table.length < path.length && table.every((key, n) => key === path[n]);

/** Returns the path in the heading of a table. */
export function headingOf(line: string): string[] | undefined {
  return /^\s*\[[^[]/.test(line) ? onlyPath(parsed(line)) : undefined;
}

/** Returns the path before the first equals sign of a line. */
export function keyOf(line: string): string[] | undefined {
  const equals = line.indexOf('=');
  return equals === -1 ? undefined : onlyPath(parsed(`${line.slice(0, equals)} = {}`));
}

/** Returns the path to the one empty table in a table. */
function onlyPath(table: unknown): string[] | undefined {
  if (!isRecord(table)) return undefined;
  const [entry] = Object.entries(table);
  return entry ? [entry[0], ...(onlyPath(entry[1]) ?? [])] : [];
}
