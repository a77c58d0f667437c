import type { PrefixRule } from '../base/policy.ts';
import { systemProgram } from './program-name.ts';

/**
 * Reports whether a command begins with these words. A path in a folder of the system counts as the program's name. A
 * path anywhere else may be another program and matches only a pattern with that path.
 */
export function matchesPrefix(command: readonly string[], pattern: PrefixRule['pattern']): boolean {
  if (pattern.length === 0 || command.length < pattern.length) return false;
  return pattern.every((choice, at) => {
    const word = command[at] ?? '';
    const allows = (text: string) => (typeof choice === 'string' ? choice === text : choice.includes(text));
    return allows(word) || (at === 0 && allows(systemProgram(word) ?? word));
  });
}
