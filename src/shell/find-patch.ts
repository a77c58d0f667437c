import { type Command, type HereDoc, parse, type Statement } from 'unbash';
import { readWord } from './read-word.ts';
import { scriptOf } from './script-of.ts';

/** Patch in a command line. */
export type FoundPatch =
  /** `cwd`: the folder that the script changes to first, as the script writes it. */
  | { readonly type: 'patch'; readonly patch: string; readonly cwd?: string }
  /** A patch in the place of a command. */
  | { readonly type: 'bare' };

/**
 * Returns the patch of a command line that does nothing but apply one: `["apply_patch", PATCH]`, or a script of one
 * such command. The script may have the patch as a word or a here-document, and may begin with `cd FOLDER &&`.
 * Undefined for everything else, and for a script in which the shell would substitute something.
 */
export function findPatch(argv: readonly string[]): FoundPatch | undefined {
  const [program = '', word = ''] = argv;
  if (argv.length === 2 && isApplyPatch(program)) return isOption(word) ? undefined : { type: 'patch', patch: word };
  const script = argv.length === 1 ? program : scriptOf(argv);
  // A cheap test first: most command lines have no patch.
  if (script === undefined || !/apply_?patch|\*\*\* Begin Patch/.test(script)) return undefined;
  if (isPatch(script)) return { type: 'bare' };
  return argv.length === 1 ? undefined : patchOf(script);
}

function isApplyPatch(name: string): boolean {
  return name === 'apply_patch' || name === 'applypatch';
}

/** Reports whether a word is an option. `--- a/file`, the beginning of a diff, is not. */
function isOption(word: string): boolean {
  return /^--?\w/.test(word);
}

function isPatch(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.startsWith('*** Begin Patch') && trimmed.endsWith('*** End Patch');
}

/** Text that may stand before and after the commands: blanks, ends of lines and comments. */
const NOTHING = /^(?:[ \t\n]|(?<=^|[ \t\n])#[^\n]*(?:\n|$))*$/;
const BLANKS = /^[ \t]+$/;
const AND = /^[ \t]*&&[ \t\n]*$/;
/** Text between a here-document's delimiter and its body. */
const REST_OF_LINE = /^[ \t]*(?:(?<=[ \t])#[^\n]*)?\n$/;
/** Delimiters that all shells read alike. */
const DELIMITER = /^(['"]?)\w+\1$/;
const CONTROL_CHARACTER = /(?![\t\n])\p{Cc}/u;

function patchOf(script: string): FoundPatch | undefined {
  const { commands, errors } = parse(script);
  const [statement] = commands;
  if (errors !== undefined || commands.length !== 1 || statement === undefined || statement.background)
    return undefined;
  const found = stepsOf(statement);
  if (found === undefined) return undefined;
  const { change, apply } = found;
  const start = change ?? apply;
  if (!NOTHING.test(plain(script.slice(0, start.pos)))) return undefined;
  const patch = readPatch(script, apply);
  if (patch === undefined) return undefined;
  if (change === undefined) return { type: 'patch', patch };
  const cwd = readFolder(script, change, apply);
  return cwd === undefined ? undefined : { type: 'patch', patch, cwd };
}

interface Steps {
  readonly change?: Command;
  readonly apply: Command;
}

/** Returns the parts of `apply_patch …` or `cd … && apply_patch …`. */
function stepsOf({ command }: Statement): Steps | undefined {
  if (command.type === 'Command') return isCommand(command, isApplyPatch) ? { apply: command } : undefined;
  if (command.type !== 'AndOr' || command.operators.length !== 1 || command.operators[0] !== '&&') return undefined;
  const [change, apply] = command.commands;
  if (change?.type !== 'Command' || apply?.type !== 'Command') return undefined;
  return isCommand(change, (name) => name === 'cd') && isCommand(apply, isApplyPatch) ? { change, apply } : undefined;
}

function isCommand({ name, prefix, suffix }: Command, fits: (name: string) => boolean): boolean {
  return name !== undefined && prefix.length === 0 && suffix.length === 1 && fits(readWord(name.text)?.value ?? '');
}

function readFolder(script: string, { name, suffix }: Command, apply: Command): string | undefined {
  const [folder] = suffix;
  if (name === undefined || folder?.type !== 'Word') return undefined;
  if (!BLANKS.test(script.slice(name.end, folder.pos)) || !AND.test(script.slice(folder.end, apply.pos)))
    return undefined;
  const text = script.slice(folder.pos, folder.end);
  const word = readWord(text);
  // `~` is a home; `-` and `+` are folders that the shell was in before.
  if (word === undefined || word.glob || text.startsWith('~') || /^(?:[-+]|$)/.test(word.value)) return undefined;
  return CONTROL_CHARACTER.test(word.value) ? undefined : word.value;
}

/** Returns the command's one argument or its input, if it ends the script. */
function readPatch(script: string, { name, suffix }: Command): string | undefined {
  const [source] = suffix;
  if (name === undefined || source === undefined) return undefined;
  const between = script.slice(name.end, source.pos);
  if (source.type === 'HereDoc') return /^[ \t]*$/.test(between) ? readHereDoc(script, source) : undefined;
  if (source.type !== 'Word' || !BLANKS.test(between)) return undefined;
  const word = readWord(script.slice(source.pos, source.end));
  if (word === undefined || word.glob || isOption(word.value) || word.value.startsWith('~')) return undefined;
  const behind = plain(script.slice(source.end));
  // A comment cannot begin right after a word.
  return NOTHING.test(behind) && !behind.startsWith('#') ? word.value : undefined;
}

function readHereDoc(script: string, { operator, descriptor, delimiter, body, closing, end }: HereDoc) {
  if (descriptor !== undefined || delimiter === undefined || closing === undefined) return undefined;
  if (!DELIMITER.test(delimiter.text) || !REST_OF_LINE.test(plain(script.slice(end, body.pos)))) return undefined;
  // Shells do not agree about a closing line that continues after a backslash, nor about lines that only begin like it.
  if (script.slice(closing.pos, closing.end) !== delimiter.value) return undefined;
  if (body.text.split('\n').some((line) => line.trimStart().startsWith(delimiter.value))) return undefined;
  const behind = plain(script.slice(closing.end));
  if ((behind !== '' && !behind.startsWith('\n')) || !NOTHING.test(behind)) return undefined;
  // Without quotes the shell substitutes in the body.
  if (!delimiter.quoted && /[$`\\]/.test(body.text)) return undefined;
  return operator === '<<-' ? body.text.replace(/(^|\n)\t+/g, '$1') : body.text;
}

/**
 * Returns the text, or a text that no pattern matches if it has control characters: each shell reads those differently.
 */
function plain(text: string): string {
  return CONTROL_CHARACTER.test(text) ? '\0' : text;
}
