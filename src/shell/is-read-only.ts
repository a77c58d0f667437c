import { isReadingGit } from './read-only/git.ts';
import { readOperands } from './read-only/options.ts';
import { PROGRAMS } from './read-only/programs.ts';
import { WORD_CHECKS } from './read-only/words.ts';

/** Where the programs of the tables lie. Elsewhere, another one may have the name. */
const SYSTEM_PROGRAM = /^(?:\/usr\/bin\/|\/bin\/)?([\w:[]+)$/;

/**
 * Whether a plain command is known to change nothing and to start nothing else. One that the tables do not know, or with an
 * option that they do not know, is not. It may still read whatever the user may read.
 */
export function isReadOnly(command: readonly string[]): boolean {
  const [program = '', ...words] = command;
  const name = SYSTEM_PROGRAM.exec(program)?.[1];
  if (name === undefined) return false;
  if (name === 'git') return isReadingGit(words);
  if (Object.hasOwn(WORD_CHECKS, name)) return WORD_CHECKS[name]?.(words) ?? false;
  const known = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  const operands = known === undefined ? undefined : readOperands(words, known);
  return operands !== undefined && (known?.operands?.(operands, words) ?? true);
}
