import { type Command, type CommandNode, type PipelineNode, parse, type Statement } from 'unbash';
import { type PlainWord, readWord } from './read-word.ts';
import { scriptOf } from './script-of.ts';

const MAX_DEPTH = 8;

const CONTROL_CHARACTER = /(?![\t\n])\p{Cc}/u;

/**
 * Redirection that changes no file, with the character after it: shells do not agree about `>&2>`. `&>` is not
 * accepted: dash reads it as `&` and `>`, and the words after it as a command.
 */
const HARMLESS_REDIRECTION = /^(?:[12]?>>?[ \t]*\/dev\/null|0?<[ \t]*\/dev\/null|[12]?>&[12])[ \t\n;&|]?$/;

/**
 * Text that may stand between words. A comment cannot begin right after a word. Neither may a backslash at the end of a
 * line follow right after a word: shells do not agree whether `2` there and `>` in the next line belong together.
 */
const BETWEEN_WORDS = /^(?:[ \t\n;&|]|(?<=[ \t\n;&|])(?:\\\n|#[^\n]*(?:\n|$)))*$/;

/** Commands that change the meaning of the words after them, or that are scripts themselves. */
const SHELL_CHANGING_COMMANDS: ReadonlySet<string> = new Set(
  `alias unalias eval source . exec builtin enable disable hash export declare typeset local readonly unset set shopt
  setopt unsetopt emulate autoload zmodload functions trap let read mapfile readarray getopts noglob nocorrect repeat
  foreach coproc time`.split(/\s+/),
);

/**
 * Returns the plain commands of an argv. A script for a shell counts only if it is nothing but literal words, joined by
 * `&& || ; | &` or newlines. Any other argv is one command. Undefined: the script holds anything else, so that reading
 * it does not show which commands would run. `onShell` is called with each shell that would run a script.
 */
export function splitCommands(
  argv: readonly string[],
  onShell: (program: string) => void = () => {},
): readonly (readonly string[])[] | undefined {
  return split(argv, 0, onShell);
}

function split(
  argv: readonly string[],
  depth: number,
  onShell: (program: string) => void,
): readonly (readonly string[])[] | undefined {
  if (argv.length === 0 || depth > MAX_DEPTH) return undefined;
  const script = scriptOf(argv);
  if (script === undefined) return [argv];
  onShell(argv[0] ?? '');
  const commands = plainCommands(script);
  if (commands === undefined || commands.length === 0) return undefined;
  const inner = commands.map((command) => split(command, depth + 1, onShell));
  return inner.every((list) => list !== undefined) ? inner.flat() : undefined;
}

function plainCommands(script: string): readonly (readonly string[])[] | undefined {
  if (CONTROL_CHARACTER.test(script)) return undefined;
  const { commands, errors } = parse(script);
  if (errors !== undefined) return undefined;
  const simple = commands.flatMap(simpleCommands);
  if (!isEverythingCovered(script, simple)) return undefined;
  const words = simple.map((command) => wordsOf(command, script));
  return words.every((argv) => argv !== undefined) ? words : undefined;
}

/** Returns the simple commands of a statement. Undefined stands for any other command. */
function simpleCommands({ command }: Statement): readonly (Command | undefined)[] {
  const pipelines: readonly PipelineNode[] = command.type === 'AndOr' ? command.commands : [command];
  return pipelines
    .flatMap((node): readonly (CommandNode | undefined)[] => {
      if (node.type !== 'Pipeline') return [node];
      // `|&` is not accepted either, since dash does not know it.
      return node.prefixes.length === 0 && node.operators.every((text) => text === '|') ? node.commands : [undefined];
    })
    .map((node) => (node?.type === 'Command' ? node : undefined));
}

/** Reports whether the script has nothing but words and redirections, with blanks and operators between them. */
function isEverythingCovered(script: string, commands: readonly (Command | undefined)[]): boolean {
  // The blank lets a comment come first.
  let between = ' ';
  let end = 0;
  for (const command of commands) {
    if (command?.name === undefined || command.prefix.length > 0) return false;
    for (const part of [command.name, ...command.suffix]) {
      between += script.slice(end, part.pos);
      if (!BETWEEN_WORDS.test(between)) return false;
      between = '';
      end = part.end;
    }
  }
  return BETWEEN_WORDS.test(between + script.slice(end));
}

function wordsOf(command: Command | undefined, script: string): readonly string[] | undefined {
  if (command?.name === undefined) return undefined;
  const program = readWord(command.name.text);
  if (program === undefined || program.glob || /^[!~]/.test(command.name.text)) return undefined;
  if (program.value === '' || SHELL_CHANGING_COMMANDS.has(program.value)) return undefined;
  const words: PlainWord[] = [program];
  for (const part of command.suffix) {
    if (part.type !== 'Word') {
      if (!HARMLESS_REDIRECTION.test(script.slice(part.pos, part.end + 1))) return undefined;
      continue;
    }
    const word = readWord(script.slice(part.pos, part.end));
    if (word === undefined) return undefined;
    words.push(word);
  }
  const argv = words.map(({ value }) => value);
  return scriptOf(argv) !== undefined && words.some(({ glob }) => glob) ? undefined : argv;
}
