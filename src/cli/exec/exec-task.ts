import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AgentOptions } from '../../app/agent-options.ts';
import type { ReviewTarget } from '../../app/commands/review.ts';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';
import { withOffline } from '../offline-option.ts';
import type { Parsed } from '../parse-options.ts';
import { amount, didYouMean, duration, UsageError, wholeNumber } from '../parse-options.ts';
import type { execOptions } from './options.ts';

export type ExecValues = Parsed<typeof execOptions>['values'];

/** Task of `oxbow exec`, read from the words of the command line. */
export type ExecTask =
  | { readonly kind: 'new'; readonly prompt: string | undefined }
  | {
      readonly kind: 'resume';
      /** Null for the newest thread, undefined for one that the user picks. */
      readonly id: string | null | undefined;
      readonly prompt: string | undefined;
    }
  | {
      readonly kind: 'fork';
      readonly id: string | null;
      /** Number or id of a turn. */
      readonly at: number | string | undefined;
      readonly prompt: string | undefined;
    }
  | { readonly kind: 'review'; readonly target: ReviewTarget };

/** Reads the words that are not options. Throws `UsageError`. */
export function readTask(words: readonly string[], values: ExecValues): ExecTask {
  const [first, ...rest] = words;
  if (values.at !== undefined && first !== 'fork') throw new UsageError('--at can only be used with fork.');
  if (first === 'resume' && rest.length === 0 && !values.last && process.stderr.isTTY)
    return { kind: 'resume', id: undefined, prompt: undefined };
  if (first === 'resume') return { kind: 'resume', ...readThread('resume', rest, values) };
  if (first === 'fork') return readFork(rest, values);
  if (first === 'review') return readReview(rest, values);
  for (const name of ['last', 'all'] as const)
    if (values[name]) throw new UsageError(`--${name} can only be used with resume and fork.`);
  for (const name of ['uncommitted', 'base', 'commit', 'title'] as const) {
    if (values[name] !== undefined) throw new UsageError(`--${name} can only be used with review.`);
  }
  if (words.length > 1) {
    const meant = didYouMean(first ?? '', ['resume', 'fork', 'review'], 'oxbow exec ');
    throw new UsageError(`Expected one prompt, got ${words.length}: put it in quotes.${meant}`);
  }
  return { kind: 'new', prompt: first };
}

function readThread(verb: string, words: readonly string[], values: ExecValues) {
  const [id, prompt, ...rest] = values.last ? [null, ...words] : words;
  if (rest.length > 0) throw new UsageError(`Too many words after ${verb}: put the prompt in quotes.`);
  if (id === undefined) throw new UsageError(noThreadNamed(verb));
  return { id, prompt: prompt ?? undefined };
}

/** Returns the sentence about a missing thread. */
export function noThreadNamed(verb: string): string {
  return `${verb} takes the id or name of a thread, or --last. oxbow threads lists the threads of this folder.`;
}

function readFork(words: readonly string[], values: ExecValues): ExecTask {
  if (values.ephemeral) throw new UsageError('--ephemeral cannot be used with fork: a fork is always recorded.');
  const at = values.at !== undefined && /^\d+$/.test(values.at) ? Number(values.at) : values.at;
  return { kind: 'fork', at, ...readThread('fork', words, values) };
}

function readReview(words: readonly string[], values: ExecValues): ExecTask {
  const target = readTarget(words, values);
  if (target.kind === 'uncommitted' && values.worktree)
    throw new UsageError(
      '--worktree cannot be used with review --uncommitted: a new worktree has no changes to review.',
    );
  return { kind: 'review', target };
}

function readTarget(words: readonly string[], { base, commit, title, uncommitted }: ExecValues): ReviewTarget {
  const prompt = words.join(' ');
  const given = [uncommitted, base, commit, prompt || undefined].filter((value) => value !== undefined);
  if (given.length > 1) throw new UsageError('review takes one of --uncommitted, --base, --commit and a prompt.');
  if (title !== undefined && commit === undefined) throw new UsageError('--title can only be used with --commit.');
  if (base !== undefined) return { kind: 'base', branch: base };
  if (commit !== undefined) return { kind: 'commit', sha: commit, ...(title === undefined ? {} : { title }) };
  return prompt === '' ? { kind: 'uncommitted' } : { kind: 'custom', prompt };
}

/** Returns the settings that options of Codex stand for, then those of `-c`, which win. */
export function readOverrides(values: ExecValues): readonly string[] {
  const { enable = [], disable = [], config = [], search } = values;
  const local = values['local-provider'];
  return [
    ...(local === undefined ? [] : [`model_provider=${JSON.stringify(local)}`]),
    ...(search ? ['web_search="live"'] : []),
    ...enable.map((feature) => `features.${feature}=true`),
    ...disable.map((feature) => `features.${feature}=false`),
    ...withOffline(config, values.offline),
  ];
}

/** Returns the options with the server on this machine that `--oss` means. */
export async function withLocalServer(options: AgentOptions, values: ExecValues): Promise<AgentOptions> {
  const { chooseLocalServer } = await import('./choose-local-server.ts');
  const wish = { model: values.model, provider: values['local-provider'] };
  const { provider, model } = await chooseLocalServer(options, wish);
  const settings = { ...options.settings, model_provider: provider, ...(model === undefined ? {} : { model }) };
  return { ...options, settings };
}

/**
 * Returns a command line in which each image has its own option. In Codex, `-i` takes all words up to the next option or
 * `--`. Here it does so before `--` only, as the word after one image is otherwise the prompt.
 */
export function spreadImages(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  let inImages = false;
  return argv.flatMap((word, index) => {
    if (index >= end) return [word];
    if (word.startsWith('-')) inImages = false;
    const spread = inImages && !isImageFlag(argv[index - 1]) ? ['-i', word] : [word];
    if (isImageFlag(word)) inImages = true;
    return spread;
  });
}

function isImageFlag(word: string | undefined): boolean {
  return word === '-i' || word === '--image';
}

export function readLimits(values: ExecValues) {
  const maxRequests = wholeNumber('max-requests', values['max-requests']);
  const maxTokens = wholeNumber('max-tokens', values['max-tokens']);
  const maxCost = amount('max-cost', values['max-cost']);
  const timeoutMs = duration('timeout', values.timeout);
  return {
    ...(maxRequests === undefined ? {} : { maxRequests }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxCost === undefined ? {} : { maxCost }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** Reports whether input comes in lines. */
export function readInputFormat(format = 'text', task: ExecTask): boolean {
  if (format === 'jsonl' && task.kind === 'review')
    throw new UsageError('--input-format jsonl cannot be used with review.');
  return format === 'jsonl';
}

/** Reads the schema in a file. Undefined without a path. */
export function readSchema(path: string | undefined): unknown {
  if (path === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(resolve(path), 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not JSON' : fileFault(error);
    throw new UserError('invalid_input', `The output schema ${path} cannot be used: ${why}.`);
  }
}

/** Returns the name of the file for the final answer. */
export function readAnswerFile(name: string | undefined): string | undefined {
  if (name === '') throw new UsageError('-o takes the name of a file, not an empty one.');
  return name;
}
