import { print } from '../output.ts';
import { homeThreads } from './home-threads.ts';
import { parseVerb } from './parse-verb.ts';

const options = { help: { type: 'boolean', short: 'h', help: 'Show this text' } } as const;

export const help = {
  usage: 'oxbow threads unarchive THREAD',
  about: 'Takes a thread out of the archive. oxbow threads --archived lists archived threads.',
  options,
  example: 'oxbow threads unarchive 01a1dfaa-5614',
};

/** Runs `oxbow threads unarchive`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ name: 'unarchive', takes: ['THREAD'], help }, argv);
  if (!read) return 0;
  const id = await homeThreads().unarchive({ text: String(read.words[0]) });
  print(`Thread ${id} is no longer archived.\n`);
  return 0;
}
