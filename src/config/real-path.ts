import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** An absolute path without links. What does not exist has none. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
