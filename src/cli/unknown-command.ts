import { quoteArgv } from '../shell/quote.ts';
import { printable } from '../text/visible.ts';
import { didYouMean, UsageError } from './parse-options.ts';

/** Returns the error for a command line that begins with no command. A prompt is easily typed without one. */
export function unknownCommand([name = '', ...rest]: readonly string[], commands: readonly string[]): UsageError {
  if (name.startsWith('-')) return new UsageError(printable(`No command follows ${name}. See oxbow --help.`));
  const meant = didYouMean(name, commands, 'oxbow ');
  const words = meant === '' ? promptLine(name, rest) : undefined;
  const advice = words === undefined ? `${meant} See oxbow --help.` : ` To run it as a prompt: oxbow exec ${words}`;
  return new UsageError(printable(`There is no command "${name}".${advice}`));
}

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
