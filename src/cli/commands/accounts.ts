import { verbs } from '../accounts/index.ts';
import { formatHelp } from '../format-help.ts';
import { print } from '../output.ts';
import { didYouMean, UsageError } from '../parse-options.ts';

export { verbs };

const names = Object.keys(verbs);
const width = Math.max(...names.map((name) => name.length));

export const help = {
  usage: `oxbow accounts ${names.join('|')} [options] …`,
  about: `Manages the accounts that you sign in with. Each has a sign-in of its own; oxbow login --account NAME makes one. Run
oxbow accounts VERB --help for more about a verb.`,
  options: { help: { type: 'boolean', short: 'h', help: 'Show this text' } },
  example: 'oxbow accounts list',
  more: { Verbs: Object.entries(verbs).map(([name, { summary }]) => `${name.padEnd(width)}  ${summary}`) },
} as const;

/** Runs `oxbow accounts`, which manages accounts. */
export async function run(argv: readonly string[]): Promise<number> {
  const [name = '--help', ...words] = argv;
  if (name === '--help' || name === '-h') {
    print(formatHelp(help));
    return argv.length === 0 ? 2 : 0;
  }
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (!verb)
    throw new UsageError(`oxbow accounts has no verb "${name}".${didYouMean(name, names)} See oxbow accounts --help.`);
  return (await verb.load()).run(words, verbs);
}
