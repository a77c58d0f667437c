import { forgetAccount, requireAccount } from '../../app/commands/accounts.ts';
import { signOut } from '../../app/commands/sign-in.ts';
import { notice, SIGN_IN_OPTIONS, signInConfig } from '../login/sign-in-options.ts';
import { print } from '../output.ts';
import { parseVerb } from '../threads/parse-verb.ts';

export const help = {
  usage: 'oxbow accounts remove NAME [options]',
  about:
    'Ends the sign-in of an account at the server, and forgets the account. If it was used, default is used again.',
  options: SIGN_IN_OPTIONS,
  example: 'oxbow accounts remove work',
};

/** Runs `oxbow accounts remove`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ command: 'accounts', name: 'remove', takes: ['NAME'], help }, argv);
  if (!read) return 0;
  const [account = ''] = read.words;
  const config = signInConfig({ ...read.values, account });
  requireAccount(config.home, account);
  await signOut(config, notice);
  forgetAccount(config, account);
  print(`The account ${account} was removed.\n`);
  return 0;
}
