import { delimiter, join } from 'node:path';
import { isExecutable } from './is-executable.ts';

/** Returns the path of a program that the system would start by its name, or undefined. */
export function findOnPath(name: string, path = ''): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}
