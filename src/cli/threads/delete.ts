import type { ThreadSummary } from '../../app/threads/threads.ts';
import { visibleLine } from '../../base/visible-text.ts';
import { print } from '../output.ts';
import { UsageError } from '../parse-options.ts';
import { canAsk, confirm } from './confirm.ts';
import { homeThreads } from './home-threads.ts';
import { parseVerb } from './parse-verb.ts';

const options = {
  yes: { type: 'boolean', short: 'y', help: 'Do not ask' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow threads delete THREAD [--yes]',
  about: 'Deletes a thread with its file and its name. Asks first. oxbow threads archive only hides a thread.',
  options,
  example: 'oxbow threads delete 01a1dfaa-5614 --yes',
};

/** Runs `oxbow threads delete`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ name: 'delete', takes: ['THREAD'], help }, argv);
  if (!read) return 0;
  const threads = homeThreads();
  const found = await threads.find({ text: String(read.words[0]) });
  if (!read.values.yes && !(await isConfirmed(found))) {
    process.stderr.write('Nothing was deleted.\n');
    return 1;
  }
  await threads.delete(found.id);
  print(`Thread ${found.id} is deleted.\n`);
  return 0;
}

async function isConfirmed({ id, name, preview }: ThreadSummary): Promise<boolean> {
  if (!canAsk())
    throw new UsageError('oxbow threads delete asks before it deletes. Pass --yes when no one can answer.');
  const title = name ?? preview;
  return confirm(`Delete thread ${id}${title === null ? '' : ` (${visibleLine(title)})`} for good?`);
}
