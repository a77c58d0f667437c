import { isReadingGit } from './read-only/git.ts';
import { readOperands } from './read-only/options.ts';
import { PROGRAMS } from './read-only/programs.ts';
import { WORD_CHECKS } from './read-only/words.ts';

/** Paths of the programs in the tables. A program elsewhere may be another one of the same name. */
const SYSTEM_PROGRAM = /^(?:\/usr\/bin\/|\/bin\/)?([\w:[]+)$/;

/**
 * Reports whether a plain command is known to change nothing and to start nothing else. False for a program or an
 * option that the tables do not have. The command may still read every file that the user may read.
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
