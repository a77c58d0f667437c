import { openSync, readdirSync } from 'node:fs';
import { isInheritable } from './close-inherited-descriptors.ts';

/** Descriptors above 2 that every process we start would inherit. */
export interface LeakedDescriptors {
  has(descriptor: number): boolean;
  /** The highest; -1 when there are none. */
  readonly last: number;
  /** A descriptor of /dev/null, which goes in their place. */
  readonly instead: number;
}

export const NO_LEAKS: LeakedDescriptors = { has: () => false, last: -1, instead: -1 };

/**
 * Node opens no such descriptors: they come from whoever started this program, or from native code in it. Through a folder
 * among them a command could reach out of any sandbox.
 */
export function findLeakedDescriptors(): LeakedDescriptors {
  let names: string[];
  try {
    names = readdirSync('/proc/self/fd');
  } catch {
    return NO_LEAKS;
  }
  const leaked = names.map(Number).filter((descriptor) => descriptor > 2 && isInheritable(descriptor));
  if (leaked.length === 0) return NO_LEAKS;
  const found = new Set(leaked);
  return { has: (descriptor) => found.has(descriptor), last: Math.max(...leaked), instead: openSync('/dev/null', 'r') };
}
