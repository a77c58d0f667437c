import { resolve } from 'node:path';

/** Returns the absolute form of a path: relative to `folder`, or to the user's own folder when it begins with `~`. */
export function absolutePath(path: string, folder: string, userFolder: string): string {
  return resolve(folder, path.replace(/^~(?=\/|$)/, userFolder));
}
