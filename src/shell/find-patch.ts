import { type Command, type HereDoc, parse, type Statement } from 'unbash';
import { readWord } from './read-word.ts';
import { scriptOf } from './script-of.ts';

/** What a command line that is about a patch holds. */
export type FoundPatch =
  /** `cwd`: the folder that it changes to before, as the script spells it. */
  | { readonly type: 'patch'; readonly patch: string; readonly cwd?: string }
  /** A patch where a command should stand. */
  | { readonly type: 'bare' };

/**
 * The patch of a command line that does nothing but apply one: `["apply_patch", PATCH]`, or a script for a shell that is one
 * such command, its patch a word or a here-document, with at most `cd FOLDER &&` before it. Undefined for everything else,
 * also where a shell would put something in the place of what the script says.
 */
export function findPatch(argv: readonly string[]): FoundPatch | undefined {
  const [program = '', word = ''] = argv;
  if (argv.length === 2 && isApplyPatch(program)) return isOption(word) ? undefined : { type: 'patch', patch: word };
  const script = argv.length === 1 ? program : scriptOf(argv);
  // Most command lines are not worth being parsed.
  if (script === undefined || !/apply_?patch|\*\*\* Begin Patch/.test(script)) return undefined;
  if (isPatch(script)) return { type: 'bare' };
  return argv.length === 1 ? undefined : patchOf(script);
}

function isApplyPatch(name: string): boolean {
  return name === 'apply_patch' || name === 'applypatch';
}

/** Not `--- a/file`, with which a diff begins. */
function isOption(word: string): boolean {
  return /^--?\w/.test(word);
}

function isPatch(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.startsWith('*** Begin Patch') && trimmed.endsWith('*** End Patch');
}

/** What may stand before and behind everything: blanks, ends of lines and comments. */
const NOTHING = /^(?:[ \t\n]|(?<=^|[ \t\n])#[^\n]*(?:\n|$))*$/;
const BLANKS = /^[ \t]+$/;
const AND = /^[ \t]*&&[ \t\n]*$/;
/** From a here-document's delimiter to its body. */
const REST_OF_LINE = /^[ \t]*(?:(?<=[ \t])#[^\n]*)?\n$/;
/** Shells do not agree about others. */
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

/** `apply_patch …`, or `cd … && apply_patch …`. */
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
  // `~` is a home, `-` and `+` are places where the shell was before.
  if (word === undefined || word.glob || text.startsWith('~') || /^(?:[-+]|$)/.test(word.value)) return undefined;
  return CONTROL_CHARACTER.test(word.value) ? undefined : word.value;
}

/** The command's one argument or its input, if it ends the script. */
function readPatch(script: string, { name, suffix }: Command): string | undefined {
  const [source] = suffix;
  if (name === undefined || source === undefined) return undefined;
  const between = script.slice(name.end, source.pos);
  if (source.type === 'HereDoc') return /^[ \t]*$/.test(between) ? readHereDoc(script, source) : undefined;
  if (source.type !== 'Word' || !BLANKS.test(between)) return undefined;
  const word = readWord(script.slice(source.pos, source.end));
  if (word === undefined || word.glob || isOption(word.value) || word.value.startsWith('~')) return undefined;
  const behind = plain(script.slice(source.end));
  // Right after a word no comment begins.
  return NOTHING.test(behind) && !behind.startsWith('#') ? word.value : undefined;
}

function readHereDoc(script: string, { operator, descriptor, delimiter, body, closing, end }: HereDoc) {
  if (descriptor !== undefined || delimiter === undefined || closing === undefined) return undefined;
  if (!DELIMITER.test(delimiter.text) || !REST_OF_LINE.test(plain(script.slice(end, body.pos)))) return undefined;
  // Shells do not agree about a closing line that goes on after a backslash, and about lines that only begin like it.
  if (script.slice(closing.pos, closing.end) !== delimiter.value) return undefined;
  if (body.text.split('\n').some((line) => line.trimStart().startsWith(delimiter.value))) return undefined;
  const behind = plain(script.slice(closing.end));
  if ((behind !== '' && !behind.startsWith('\n')) || !NOTHING.test(behind)) return undefined;
  // Without quotes the shell substitutes in the body.
  if (!delimiter.quoted && /[$`\\]/.test(body.text)) return undefined;
  return operator === '<<-' ? body.text.replace(/(^|\n)\t+/g, '$1') : body.text;
}

/** Control characters mean something else to each shell: they make a text that nothing fits. */
function plain(text: string): string {
  return CONTROL_CHARACTER.test(text) ? '\0' : text;
}
