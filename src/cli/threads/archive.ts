import { print } from '../output.ts';
import { homeThreads } from './home-threads.ts';
import { parseVerb } from './parse-verb.ts';

const options = { help: { type: 'boolean', short: 'h', help: 'Show this text' } } as const;

export const help = {
  usage: 'oxbow threads archive THREAD',
  about: 'Archives a thread: lists and --last skip it until oxbow threads unarchive takes it out again.',
  options,
  example: 'oxbow threads archive 01a1dfaa-5614',
};

/** Runs `oxbow threads archive`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ name: 'archive', takes: ['THREAD'], help }, argv);
  if (!read) return 0;
  const id = await homeThreads().archive({ text: String(read.words[0]) });
  print(`Thread ${id} is archived.\n`);
  return 0;
}
