import { readdirSync } from 'node:fs';
import { isInheritable } from './close-inherited-descriptors.ts';
import type { Launch } from './launch.ts';
import { isShortage } from './spawn-failure.ts';
import { nullDescriptor } from './terminal-descriptors.ts';

/** Descriptors above 2 that every process we start would inherit. */
export interface LeakedDescriptors {
  has(descriptor: number): boolean;
  /** The highest descriptor; -1 when there are none. */
  readonly last: number;
  /** Descriptor of /dev/null that replaces the leaked ones. */
  readonly instead: number;
}

export const NO_LEAKS: LeakedDescriptors = { has: () => false, last: -1, instead: -1 };

/**
 * Returns a function that finds the leaked descriptors for a launch. It looks for them once, and returns none for a
 * launch without a sandbox, where a descriptor leads to nothing new.
 */
export function createLeakFinder(): (launch: Launch) => LeakedDescriptors {
  let found: LeakedDescriptors | undefined;
  return ({ commandAt }) => {
    if (commandAt === 0) return NO_LEAKS;
    found ??= findLeakedDescriptors();
    return found;
  };
}

/**
 * Finds the descriptors that a process we start would inherit. Node opens none of them: they come from the process that
 * started this program, or from native code in it. A command could leave any sandbox through a folder among them.
 */
function findLeakedDescriptors(): LeakedDescriptors {
  let names: string[];
  try {
    names = readdirSync('/proc/self/fd');
  } catch (error) {
    if (isShortage(error)) throw error;
    return NO_LEAKS;
  }
  const leaked = names.map(Number).filter((descriptor) => descriptor > 2 && isInheritable(descriptor));
  if (leaked.length === 0) return NO_LEAKS;
  const found = new Set(leaked);
  return { has: (descriptor) => found.has(descriptor), last: Math.max(...leaked), instead: nullDescriptor() };
}
