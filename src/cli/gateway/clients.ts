import { print } from '../output.ts';
import { parseVerb } from '../threads/parse-verb.ts';
import { CLIENTS } from './clients/index.ts';
import { HELP_OPTION } from './options.ts';
import { clientList } from './set-up-client.ts';

const options = {
  json: { type: 'boolean', help: 'Print a JSON array' },
  ...HELP_OPTION,
} as const;

export const help = {
  usage: 'oxbow gateway clients [options]',
  about: 'Lists the clients whose settings oxbow gateway --for CLIENT prints.',
  options,
  example: 'oxbow gateway clients --json',
};

/** Runs `oxbow gateway clients`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ command: 'gateway', name: 'clients', takes: [], help }, argv);
  if (!read) return 0;
  const rows = [...CLIENTS].map(([id, { name, about, programs, launch }]) => ({
    id,
    name,
    about,
    programs,
    runs: launch !== undefined,
  }));
  print(read.values.json ? `${JSON.stringify(rows, null, 2)}\n` : clientList());
  return 0;
}
