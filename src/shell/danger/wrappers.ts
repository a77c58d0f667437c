import { launcherKind } from '../launchers.ts';
import { baseName } from '../program-name.ts';

/** Programs whose words are scripts. */
const SCRIPT_PROGRAMS: ReadonlySet<string> = new Set(['eval', 'trap', 'alias', 'watch', 'parallel']);

/** Actions of `find` that start other programs. */
const FIND_ACTIONS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** Reports whether a program runs the command among its words. */
export function isWrapper(program: string): boolean {
  const kind = launcherKind(program);
  return kind === 'plain' || kind === 'wrapper';
}

/** Reports whether a command is a shell, or a wrapper of one. */
export function runsShell(argv: readonly string[]): boolean {
  const [program = ''] = argv;
  return isShell(program) || (isWrapper(program) && argv.some(isShell));
}

/**
 * Returns the commands that a command may start: everything after any of its words. The options of a wrapper are not
 * parsed: mistaking an option's value for the program would hide the real program.
 */
export function startedCommands(argv: readonly string[]): readonly (readonly string[])[] {
  const [program = '', ...words] = argv;
  const isFind = baseName(program) === 'find';
  const from = isFind ? words.findIndex((word) => FIND_ACTIONS.has(word)) : 0;
  return from !== -1 && (isFind || isWrapper(program)) ? words.slice(from).map((_, at) => words.slice(from + at)) : [];
}

/** Returns the scripts that a command holds: of a shell, of `trap` and `eval`, of `env -S` and `su -c`. */
export function scriptsIn(argv: readonly string[]): readonly string[] {
  const [program = '', ...words] = argv;
  if (isShell(program)) return words.some((word) => /^-[^-]*c/.test(word)) ? words.filter(isNoOption) : [];
  const name = baseName(program);
  if (SCRIPT_PROGRAMS.has(name)) return [...new Set([...words.filter(isNoOption), words.join(' ')])];
  if (!isWrapper(program)) return [];
  return words.flatMap((word, at) => {
    if (/^(?:-[cS]|--command|--split-string)$/.test(word)) return words.slice(at + 1, at + 2);
    return /^(?:-S|--command=|--split-string=)(.+)/s.exec(word)?.[1] ?? [];
  });
}

function isShell(word: string): boolean {
  return launcherKind(word) === 'shell';
}

function isNoOption(word: string): boolean {
  return !/^[-+]/.test(word);
}
