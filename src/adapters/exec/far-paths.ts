import { posix } from 'node:path';
import { isInside } from '../../base/guarded-paths.ts';

/** Paths of the agent's working folder and the folder that stands for it on the far side. */
export interface FarPaths {
  toFar(path: string): string;
  fromFar(path: string): string;
}

/** Returns the translation of paths between two folders. Paths outside both are the same on either side. */
export function createFarPaths(near: string, far: string): FarPaths {
  return {
    toFar: (path) => moved(path, near, far),
    fromFar: (path) => moved(path, far, near),
  };
}

function moved(path: string, from: string, to: string): string {
  if (path === from) return to;
  return isInside(path, from) ? posix.join(to, path.slice(from.length)) : path;
}
