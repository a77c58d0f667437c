import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ProgramResult } from './start-program.ts';

interface Written {
  readonly home: string;
  /** Time before which no file of the home was written by the run. */
  readonly since: number;
  readonly result: Pick<ProgramResult, 'stdout' | 'stderr'>;
}

/** Fails if a secret is in the output of a run or in a file that it wrote to its home. */
export function expectNoSecret(secret: string, { home, since, result }: Written): void {
  expect(placesOf(secret, { home, since, result }), `places with the secret ${secret}`).toEqual([]);
}

/** Clocks of file systems are coarse. */
const MARGIN_MS = 1000;

/** Returns the places in which a secret was found: names of files, and the outputs. */
export function placesOf(secret: string, { home, since, result }: Written): string[] {
  const outputs = (['stdout', 'stderr'] as const).filter((name) => result[name].includes(secret));
  return [...outputs, ...filesIn(home).filter((path) => isNew(path, since) && readFileSync(path).includes(secret))];
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

function isNew(path: string, since: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && stat.mtimeMs >= since - MARGIN_MS;
}
