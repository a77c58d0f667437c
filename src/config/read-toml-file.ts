import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../base/errors.ts';
import { fileFault } from '../base/file-fault.ts';
import { expandShorthand } from './expand-shorthand.ts';
import { parseToml } from './parse-toml.ts';
import type { Layer } from './setting/layers.ts';

/** Returns the layer of a file, or none if there is no such file. Throws `UserError` for a file that cannot be read. */
export function readTomlFile(path: string): Layer[] {
  // An exception for each missing file would cost more than reading the others.
  if (!existsSync(path)) return [];
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError('storage', `${path} cannot be read: ${fileFault(error)}.`);
  }
  return [tomlLayer(text, path)];
}

/** Returns the layer of a file with this text. Throws `UserError` for a text that is not TOML. */
export function tomlLayer(text: string, path: string): Layer {
  return expandShorthand({ origin: path, folder: dirname(path), table: parseToml(text, path) });
}
