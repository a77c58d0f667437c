import { execFileSync } from 'node:child_process';
import { delimiter } from 'node:path';
import { test } from 'vitest';
import { testInTurn } from './test-in-turn.ts';

/** Returns the paths in OXBOW_NEWER_NODE: other Nodes, 22.13 or later. */
export function newerNodes(): readonly string[] {
  return (process.env.OXBOW_NEWER_NODE ?? '').split(delimiter).filter((path) => path !== '');
}

/**
 * Returns a function that defines the tests of a Node of `allNodes`: all of the running one, and those of the others in
 * turn.
 */
export function testOn(node: string): ReturnType<typeof testInTurn> {
  const column = newerNodes().indexOf(node);
  return column < 0 ? test : testInTurn(column);
}

/** Returns the version and the path of each Node to try programs on, the running one first. */
export function allNodes(): readonly (readonly [version: string, path: string])[] {
  const newer = newerNodes().map(
    (path) => [execFileSync(path, ['--version'], { encoding: 'utf8' }).trim(), path] as const,
  );
  return [[process.version, process.execPath], ...newer];
}
