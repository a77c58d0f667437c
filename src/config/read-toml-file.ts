import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, UserError } from '../base/errors.ts';
import { parseToml } from './parse-toml.ts';
import type { Layer } from './setting/layers.ts';
import { spellOut } from './spell-out.ts';

/** The layer of a file, if there is such a file. One that is there and cannot be read is a `UserError`. */
export function readTomlFile(path: string): Layer[] {
  // An exception for each file that is not there would cost more than all that is.
  if (!existsSync(path)) return [];
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError('storage', `${path} cannot be read: ${messageOf(error)}`);
  }
  return [spellOut({ origin: path, folder: dirname(path), table: parseToml(text, path) })];
}
