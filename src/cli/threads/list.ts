import { resolve } from 'node:path';
import type { ThreadSummary } from '../../app/threads/threads.ts';
import { createOutput } from '../output.ts';
import { wholeNumber } from '../parse-options.ts';
import { createStyle, wantsColor } from '../print/style.ts';
import { formatLines, formatTable } from './format-list.ts';
import { homeThreads } from './home-threads.ts';
import { parseVerb } from './parse-verb.ts';

const DEFAULT_LIMIT = 50;

const options = {
  all: { type: 'boolean', short: 'a', help: 'List the threads of all folders, not only of this one' },
  archived: { type: 'boolean', help: 'List archived threads instead' },
  limit: { type: 'string', short: 'n', value: 'N', help: `List at most N threads (default: ${DEFAULT_LIMIT})` },
  search: {
    type: 'string',
    short: 's',
    value: 'TEXT',
    help: 'List only threads with this text in their name, first input or folder',
  },
  json: { type: 'boolean', help: 'Print a JSON array' },
  cd: { type: 'string', short: 'C', value: 'DIR', help: 'List the threads of this folder' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow threads [list] [options]',
  about: `Lists the threads of this folder, newest first. In a pipe, each thread is a line with its id, time of the last change,
folder and title, separated by tabs.`,
  options,
  example: 'oxbow threads --all --limit 10',
};

/** Runs `oxbow threads list`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ name: 'list', takes: [], help }, argv);
  if (!read) return 0;
  const { all = false, archived = false, search, json } = read.values;
  const limit = wholeNumber('limit', read.values.limit) ?? DEFAULT_LIMIT;
  const folder = all || archived ? {} : { cwd: resolve(read.values.cd ?? '.') };
  const query = { archived, ...folder, ...(search === undefined ? {} : { search }), limit: limit + 1 };
  const found: ThreadSummary[] = [];
  for await (const thread of homeThreads().list(query)) found.push(thread);
  const threads = found.slice(0, limit);
  const output = createOutput(() => {});
  output.write(json ? `${JSON.stringify(threads, null, 2)}\n` : format(threads, all || archived));
  await output.end();
  if (!json && process.stdout.isTTY) process.stderr.write(remark(found.length, limit, 'cwd' in folder));
  return 0;
}

function format(threads: readonly ThreadSummary[], folders: boolean): string {
  const { isTTY, columns } = process.stdout;
  if (!isTTY) return formatLines(threads);
  if (threads.length === 0) return '';
  const style = createStyle(wantsColor('auto', true, process.env.NO_COLOR));
  return formatTable(threads, { style, columns: columns || 80, now: Date.now(), folders });
}

function remark(found: number, limit: number, ofFolder: boolean): string {
  if (found > limit) return `There are more threads: try --limit ${limit * 2}.\n`;
  if (found > 0) return '';
  return ofFolder
    ? 'There are no threads of this folder. --all lists those of other folders too.\n'
    : 'There are no threads.\n';
}
