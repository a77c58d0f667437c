import { print } from '../output.ts';
import { homeThreads } from './home-threads.ts';
import { parseVerb } from './parse-verb.ts';

const options = { help: { type: 'boolean', short: 'h', help: 'Show this text' } } as const;

export const help = {
  usage: 'oxbow threads rename THREAD NAME',
  about: `Gives a thread a name, which can be used in place of its id. A name is one line of at most 100 characters. Codex shows
it too, unless its own database has another.`,
  options,
  example: 'oxbow threads rename 01a1dfaa-5614 "the slow parser"',
};

/** Runs `oxbow threads rename`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ name: 'rename', takes: ['THREAD', 'NAME'], help }, argv);
  if (!read) return 0;
  const [thread = '', name = ''] = read.words;
  const id = await homeThreads().rename({ text: thread }, name);
  print(`Thread ${id} is now called "${name.trim()}".\n`);
  return 0;
}
