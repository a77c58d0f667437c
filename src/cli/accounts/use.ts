import { useAccount } from '../../app/commands/accounts.ts';
import { SIGN_IN_OPTIONS, signInConfig } from '../login/sign-in-options.ts';
import { print } from '../output.ts';
import { parseVerb } from '../threads/parse-verb.ts';

export const help = {
  usage: 'oxbow accounts use NAME [options]',
  about:
    'Chooses the account that is used where neither --account nor config.toml names one. default is that of auth.json.',
  options: SIGN_IN_OPTIONS,
  example: 'oxbow accounts use work',
};

/** Runs `oxbow accounts use`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ command: 'accounts', name: 'use', takes: ['NAME'], help }, argv);
  if (!read) return 0;
  const [name = ''] = read.words;
  useAccount(signInConfig(read.values), name);
  print(`The account ${name} is used from now on.\n`);
  return 0;
}
