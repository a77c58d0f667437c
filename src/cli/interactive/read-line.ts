import type { Opening } from '../../tui/session.ts';
import { type Parsed, parseOptions, UsageError } from '../parse-options.ts';
import { interactiveOptions } from './options.ts';

export type InteractiveValues = Parsed<typeof interactiveOptions>['values'];

/** The thread that the terminal begins with. `pick`: the user chooses it from a list. */
export type FirstThread =
  | Exclude<Opening, { type: 'again' }>
  | { readonly type: 'pick'; readonly verb: 'resume' | 'fork' };

/** A command line of the terminal. */
export interface InteractiveLine {
  readonly values: InteractiveValues;
  /** Null: the newest thread of the folder. */
  readonly thread: FirstThread | { readonly type: 'last'; readonly verb: 'resume' | 'fork' };
  readonly prompt: string;
  /** Whether the prompt is one word alone, which is more likely a mistyped command. */
  readonly isWord: boolean;
}

/**
 * Reads the command line of `oxbow` itself, or of one of its commands. Several words, or words after `--`, are a prompt.
 * Throws `UsageError`.
 */
export function readLine(command: 'new' | 'resume' | 'fork', argv: readonly string[]): InteractiveLine {
  const { values, positionals } = parseOptions(command === 'new' ? '' : command, interactiveOptions, argv);
  if (command === 'new') {
    for (const name of ['last', 'all'] as const)
      if (values[name]) throw new UsageError(`--${name} can only be used with resume and fork.`);
    const prompt = positionals.join(' ');
    const isWord = positionals.length === 1 && !/\s/.test(prompt) && !argv.includes('--');
    return { values, thread: { type: 'new' }, prompt, isWord };
  }
  if (values.last)
    return { values, thread: { type: 'last', verb: command }, prompt: positionals.join(' '), isWord: false };
  const [thread, ...words] = positionals;
  const { at } = values;
  if (at !== undefined && (command !== 'fork' || thread === undefined))
    throw new UsageError('--at can only be used with fork and the name of a thread.');
  const turn = at === undefined ? {} : { at: /^\d+$/.test(at) ? Number(at) : at };
  const chosen: FirstThread =
    thread === undefined ? { type: 'pick', verb: command } : { type: command, thread, ...turn };
  return { values, thread: chosen, prompt: words.join(' '), isWord: false };
}
