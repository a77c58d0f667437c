import { execFileSync } from 'node:child_process';
import { delimiter } from 'node:path';

/** Returns the paths in OXBOW_NEWER_NODE: other Nodes, 22.13 or later. */
export function newerNodes(): readonly string[] {
  return (process.env.OXBOW_NEWER_NODE ?? '').split(delimiter).filter((path) => path !== '');
}

/** Returns the version and the path of each Node to try programs on, the running one first. */
export function allNodes(): readonly (readonly [version: string, path: string])[] {
  const newer = newerNodes().map(
    (path) => [execFileSync(path, ['--version'], { encoding: 'utf8' }).trim(), path] as const,
  );
  return [[process.version, process.execPath], ...newer];
}
