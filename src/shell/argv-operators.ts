import { quoteArgv } from './quote.ts';

const OPERATORS: ReadonlySet<string> = new Set(['>', '>>', '<', '|', '&&', '||', ';']);

/** Programs for which such a word is an ordinary argument. */
const OPERATOR_PROGRAMS: ReadonlySet<string> = new Set([
  'test',
  '[',
  '[[',
  'expr',
  'grep',
  'egrep',
  'fgrep',
  'rg',
  'find',
  'awk',
  'gawk',
  'mawk',
  'sed',
  'jq',
  'bc',
  'dc',
  'printf',
  'xargs',
  'git',
  'let',
  'tr',
  'cut',
  'paste',
  'column',
  'psql',
  'sqlite3',
]);

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish', 'pwsh', 'powershell', 'cmd']);

/**
 * Returns an argv with shell operators as a script, its other words quoted. Models write `["echo", "hi", ">", "file"]`
 * for a program that is started without a shell. Undefined: there is nothing to repair.
 */
export function scriptOfOperators(argv: readonly string[]): string | undefined {
  const program = argv[0]?.split('/').at(-1) ?? '';
  if (SHELLS.has(program) || OPERATOR_PROGRAMS.has(program) || OPERATORS.has(program)) return undefined;
  if (!argv.some((word) => OPERATORS.has(word))) return undefined;
  return argv.map((word) => (OPERATORS.has(word) ? word : quoteArgv([word]))).join(' ');
}
