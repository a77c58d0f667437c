import { writeFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';
import { createOutput } from '../output.ts';
import { UsageError } from '../parse-options.ts';
import { formatMarkdown } from './format-markdown.ts';
import { formatThreadJson } from './format-thread-json.ts';
import { parseVerb } from './parse-verb.ts';
import { toldThread } from './told-thread.ts';

const options = {
  output: { type: 'string', short: 'o', value: 'FILE', help: 'Write to this file. A name in .json means --json' },
  markdown: { type: 'boolean', help: 'Write Markdown (the default)' },
  json: { type: 'boolean', help: 'Write a JSON object with the thread, its turns and its items' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow threads export THREAD [-o FILE] [--markdown | --json]',
  about: `Writes a whole thread as Markdown or JSON, with nothing cut. Without -o it goes to standard output. The file may hold
secrets that commands printed, so only you can read it.`,
  options,
  example: 'oxbow threads export 01a1dfaa-5614 -o thread.md',
};

/** Runs `oxbow threads export`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ name: 'export', takes: ['THREAD'], help }, argv);
  if (!read) return 0;
  const { output: file, markdown = false, json = false } = read.values;
  if (markdown && json) throw new UsageError('oxbow threads export writes either --markdown or --json.');
  const thread = await toldThread(String(read.words[0]));
  const asJson = json || (!markdown && extname(file ?? '').toLowerCase() === '.json');
  const text = asJson ? formatThreadJson(thread, true) : formatMarkdown(thread, true);
  if (file !== undefined) {
    writeText(file, text);
    process.stderr.write(`Thread ${thread.details.id} is written to ${file}.\n`);
    return 0;
  }
  const output = createOutput(() => {});
  output.write(text);
  await output.end();
  return 0;
}

/** Writes a text to a file that only the user can read. `advice` says how to name another one. */
export function writeText(file: string, text: string, advice = 'Name another file with -o.'): void {
  try {
    writeFileSync(resolve(file), text, { mode: 0o600 });
  } catch (error) {
    throw new UserError('storage', `${file} cannot be written: ${fileFault(error)}. ${advice}`);
  }
}
