import { verbs } from '../accounts/index.ts';
import { runVerb } from '../run-verb.ts';

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
export function run(argv: readonly string[]): Promise<number> {
  return runVerb('accounts', help, verbs, argv);
}
