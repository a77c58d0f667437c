import { createOutput } from '../output.ts';
import { createStyle, wantsColor } from '../print/style.ts';
import { formatThread } from './format-thread.ts';
import { homeThreads } from './home-threads.ts';
import { parseVerb } from './parse-verb.ts';

const options = {
  json: { type: 'boolean', help: 'Print a JSON object with the thread and its turns' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow threads show THREAD [--json]',
  about: `Shows a thread and its turns: number, time, input and the first line of the answer. oxbow exec fork --at takes these
numbers.`,
  options,
  example: 'oxbow threads show 01a1dfaa-5614',
};

/** Runs `oxbow threads show`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ name: 'show', takes: ['THREAD'], help }, argv);
  if (!read) return 0;
  const thread = await homeThreads().show({ text: String(read.words[0]) });
  const { isTTY, columns } = process.stdout;
  const style = createStyle(wantsColor('auto', isTTY === true, process.env.NO_COLOR));
  const layout = { style, columns: isTTY ? columns || 80 : Number.POSITIVE_INFINITY, now: isTTY ? Date.now() : null };
  const output = createOutput(() => {});
  output.write(read.values.json ? `${JSON.stringify(thread, null, 2)}\n` : formatThread(thread, layout));
  await output.end();
  return 0;
}
