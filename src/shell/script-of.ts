import { systemProgram } from './program-name.ts';

const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh', 'dash']);

/**
 * Returns the script of `bash -c SCRIPT` and the like. No other form counts: further options change how a shell reads
 * (`-i` has history and aliases), and a shell elsewhere may be any program.
 */
export function scriptOf(argv: readonly string[]): string | undefined {
  const [program = '', option, script] = argv;
  if (argv.length !== 3 || (option !== '-c' && option !== '-lc')) return undefined;
  return SHELLS.has(systemProgram(program) ?? '') ? script : undefined;
}
