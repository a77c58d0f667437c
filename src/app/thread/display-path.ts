import { realPath } from '../../config/real-path.ts';

/** How paths without links are shown: those below the folder from there on, others whole. */
export function shownBelow(folder: string): (path: string) => string {
  let root: string | undefined;
  return (path) => {
    root ??= realPath(folder);
    const start = root.endsWith('/') ? root : `${root}/`;
    return path.startsWith(start) ? path.slice(start.length) : path;
  };
}
