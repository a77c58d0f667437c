import { formatHelp } from '../format-help.ts';
import { print } from '../output.ts';
import { didYouMean, UsageError } from '../parse-options.ts';
import { verbs } from '../threads/index.ts';
import { help as listHelp } from '../threads/list.ts';

export { verbs };

const names = Object.keys(verbs);
const width = Math.max(...names.map((name) => name.length));

const ON_ONE = names.filter((name) => name !== 'list' && name !== 'unarchive');

export const help = {
  usage: `oxbow threads ${names.join('|')} [options] …`,
  about: `Lists threads, newest first, or runs a verb on one. Without a verb it lists them. THREAD is an id, the beginning of
one (at least 4 characters) or a name. Run oxbow threads VERB --help for more about a verb.`,
  options: listHelp.options,
  threadAfter: {
    ...Object.fromEntries(ON_ONE.map((verb) => [verb, 'threads'] as const)),
    unarchive: 'archived' as const,
  },
  example: 'oxbow threads --all --search parser',
  more: { Verbs: Object.entries(verbs).map(([name, { summary }]) => `${name.padEnd(width)}  ${summary}`) },
};

/** Runs `oxbow threads`, which lists threads and changes them. */
export async function run(argv: readonly string[]): Promise<number> {
  const [first = 'list', ...rest] = argv;
  if (first === '--help' || first === '-h') {
    print(formatHelp(help));
    return 0;
  }
  const [name, words] = first.startsWith('-') ? ['list', argv] : [first, rest];
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (!verb)
    throw new UsageError(`oxbow threads has no verb "${name}".${didYouMean(name, names)} See oxbow threads --help.`);
  return (await verb.load()).run(words, verbs);
}
