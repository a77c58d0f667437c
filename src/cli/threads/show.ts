import { createOutput } from '../output.ts';
import { UsageError } from '../parse-options.ts';
import { createStyle, wantsColor } from '../print/style.ts';
import { formatMarkdown } from './format-markdown.ts';
import { formatThread } from './format-thread.ts';
import { formatThreadJson } from './format-thread-json.ts';
import { parseVerb } from './parse-verb.ts';
import { toldThread } from './told-thread.ts';

const options = {
  full: { type: 'boolean', help: 'Cut nothing: show all that the thread keeps of arguments, outputs and patches' },
  markdown: { type: 'boolean', help: 'Print Markdown' },
  json: { type: 'boolean', help: 'Print a JSON object with the thread, its turns and its items' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow threads show THREAD [--full] [--markdown | --json]',
  about: `Shows a thread from its first input to its last answer, with its commands and patches. Long outputs are cut in the
middle. oxbow exec fork --at takes the numbers of the turns.`,
  options,
  example: 'oxbow threads show 01a1dfaa-5614',
};

/** Runs `oxbow threads show`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ name: 'show', takes: ['THREAD'], help }, argv);
  if (!read) return 0;
  const { full = false, markdown = false, json = false } = read.values;
  if (markdown && json) throw new UsageError('oxbow threads show prints either --markdown or --json.');
  const thread = await toldThread(String(read.words[0]));
  const { isTTY } = process.stdout;
  const style = createStyle(wantsColor('auto', isTTY === true, process.env.NO_COLOR));
  const output = createOutput(() => {});
  if (json) output.write(formatThreadJson(thread, full));
  else if (markdown) output.write(formatMarkdown(thread, full));
  else output.write(formatThread(thread, { style, now: isTTY ? Date.now() : null, full }));
  await output.end();
  return 0;
}
