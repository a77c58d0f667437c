import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** Throws the error of the system (EMFILE) if this process cannot open this number of further files. */
export function checkDescriptors(count: number): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'));
  } finally {
    opened.forEach(closeSync);
  }
}
