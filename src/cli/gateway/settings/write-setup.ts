import { constants, copyFileSync, existsSync, lstatSync, readFileSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { UserError } from '../../../base/errors.ts';
import { fileFault } from '../../../base/file-fault.ts';
import { isRecord } from '../../../base/json-schema.ts';
import { realPath } from '../../../config/real-path.ts';
import { changeFile, withSetting } from '../../../config/set-setting.ts';
import { valueText, type WrittenTable, withTable } from '../../../config/set-table.ts';
import type { ClientFile } from '../clients/client.ts';
import { withJsonValue } from './with-json-value.ts';

/** A change of a client's file that was not made yet. */
export interface PlannedChange {
  readonly before: string;
  readonly after: string;
}

/** Returns the change that puts the settings into a file of a client. Throws `UserError`. */
export function planChange(file: ClientFile, userFolder: string): PlannedChange {
  assertInside(file.path, userFolder);
  const before = textIn(file.path);
  return { before, after: textWith(before, file) };
}

/**
 * Makes a change, and keeps a copy of the old file next to it. Returns the path of the copy; undefined where there was no
 * file. Throws `UserError`.
 */
export function makeChange({ path }: ClientFile, { before, after }: PlannedChange): string | undefined {
  let copy: string | undefined;
  changeFile(path, (text) => {
    if (text !== before) throw new UserError('storage', `${path} was changed by another program. Run this again.`);
    if (existsSync(path)) copy = keepCopy(realPath(path));
    return after;
  });
  return copy;
}

/** Refuses a file behind a link that leads out of the user's folder: another user or program may own it. */
function assertInside(path: string, userFolder: string): void {
  const isBelow = (one: string, root: string) => one.startsWith(`${root}${sep}`);
  // A variable may name a folder elsewhere. No link may lead out of that one either.
  const root = isBelow(path, userFolder) ? userFolder : dirname(path);
  const real = realPath(path);
  const isDangling = !existsSync(path) && lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (!isDangling && isBelow(real, realPath(root))) return;
  const to = isDangling ? 'nothing' : real;
  throw new UserError(
    'invalid_input',
    `${path} is a link to ${to}, so it is left alone. Put the lines there yourself.`,
  );
}

function textIn(path: string): string {
  if (!existsSync(path)) return '';
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new UserError('storage', `${path} cannot be read: ${fileFault(error)}.`);
  }
  const text = bytes.toString();
  if (Buffer.from(text).equals(bytes)) return text;
  throw new UserError('invalid_config', `${path} is not a text in UTF-8, so it is left alone.`);
}

function textWith(before: string, file: ClientFile): string {
  switch (file.format) {
    case 'toml':
      return file.entries.reduce((text, { path, value }) => {
        if (isRecord(value)) return withTable(text, path, value as WrittenTable, file.path);
        return withSetting(text, path, valueText(value), file.path);
      }, before);
    case 'json':
      return file.entries.reduce((text, { path, value }) => {
        const changed = withJsonValue(text, path, value);
        if (changed !== undefined) return changed;
        throw new UserError(
          'invalid_config',
          `${file.path} has another form than expected, so it is left alone. Put the lines there yourself.`,
        );
      }, before);
    case 'yaml':
      if (before.trim() === '' || before.includes(file.text)) return before.trim() === '' ? `${file.text}\n` : before;
      throw new UserError(
        'invalid_config',
        `${file.path} is YAML, which is not changed here. Add the entries of models to it yourself.`,
      );
  }
}

const MOST_COPIES = 1000;

/** Copies a file next to itself, with its mode. */
function keepCopy(path: string): string {
  for (let n = 1; n <= MOST_COPIES; n++) {
    const copy = `${path}.before-oxbow${n === 1 ? '' : `-${n}`}`;
    try {
      copyFileSync(path, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new UserError('storage', `${path} cannot be copied before the change: ${fileFault(error)}.`);
    }
  }
  throw new UserError('storage', `There are too many copies of ${path}. Remove those that end in before-oxbow.`);
}
