import { quoteArgv } from '../shell/quote.ts';
import { printable } from '../text/visible.ts';
import { didYouMean, UsageError } from './parse-options.ts';

/** Returns the error for a command line that does not begin with a command. A prompt is easily typed without one. */
export function unknownCommand([name = '', ...rest]: readonly string[], commands: readonly string[]): UsageError {
  if (name.startsWith('-')) return new UsageError(printable(`No command follows ${name}. See oxbow --help.`));
  const instead = Object.hasOwn(INSTEAD, name) && rest.length < A_SENTENCE ? INSTEAD[name] : undefined;
  if (instead !== undefined) return new UsageError(`There is no command "${name}". ${instead}`);
  const meant = didYouMean(name, commands, 'oxbow ');
  const words = meant === '' ? promptLine(name, rest) : undefined;
  const advice = words === undefined ? `${meant} See oxbow --help.` : ` To run it as a prompt: oxbow exec ${words}`;
  return new UsageError(printable(`There is no command "${name}".${advice}`));
}

/** The number of words after the name of a command of Codex that make the line a prompt. */
const A_SENTENCE = 3;

const NOT_THERE = 'That command of Codex has no counterpart here.';

/** Advice for commands of Codex that have another name here, or none. */
const INSTEAD: Readonly<Record<string, string>> = {
  review: 'Use oxbow exec review.',
  archive: 'Use oxbow threads archive.',
  unarchive: 'Use oxbow threads unarchive.',
  delete: 'Use oxbow threads delete.',
  agents: 'oxbow threads --all lists the threads of all folders.',
  features: 'oxbow config lists every setting. --enable and --disable of oxbow exec set features.',
  debug: 'Use oxbow doctor, or oxbow exec --debug.',
  update: 'Install the new version in the way that you installed this one.',
  queue: 'Use oxbow exec --input-format jsonl, which reads input while a turn runs.',
  apply: 'oxbow apply-patch applies a patch. There is no cloud whose changes could be applied.',
  plugin: NOT_THERE,
  cloud: NOT_THERE,
  'app-server': NOT_THERE,
  'remote-control': NOT_THERE,
  'exec-server': NOT_THERE,
};

/** Returns the words after `oxbow exec` when the command line looks like a prompt. */
function promptLine(name: string, rest: readonly string[]): string | undefined {
  if (/\s/.test(name)) return [quoted(name), ...(rest.length === 0 ? [] : [quoteArgv(rest)])].join(' ');
  const isText = rest.length > 0 && rest.every((word) => !word.startsWith('-'));
  return isText ? quoted([name, ...rest].join(' ')) : undefined;
}

/** Returns a prompt in the quotes that people type, where every shell reads them alike. */
function quoted(prompt: string): string {
  return /["$`\\!]/.test(prompt) ? quoteArgv([prompt]) : `"${prompt}"`;
}
