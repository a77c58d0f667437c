import { forgetAccount } from '../../app/commands/accounts.ts';
import { signOut } from '../../app/commands/sign-in.ts';
import { formatHelp } from '../format-help.ts';
import { notice, SIGN_IN_OPTIONS, signInConfig } from '../login/sign-in-options.ts';
import { print } from '../output.ts';
import { parseOptions, UsageError } from '../parse-options.ts';

const options = {
  account: { type: 'string', value: 'NAME', help: 'Sign out of the account of this name' },
  ...SIGN_IN_OPTIONS,
} as const;

export const help = {
  usage: 'oxbow logout [options]',
  about: 'Ends the sign-in at the server, and removes it from this machine.',
  options,
  example: 'oxbow logout --account work',
};

/** Runs `oxbow logout`. The exit code is 0 if there was no sign-in, as in Codex. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('logout', options, argv);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  if (positionals[0] !== undefined) throw new UsageError(`Unexpected "${positionals[0]}". See oxbow logout --help.`);
  const config = signInConfig(values);
  const wasThere = await signOut(config, notice);
  if (values.account !== undefined) forgetAccount(config, values.account);
  print(wasThere ? 'You are signed out.\n' : 'There was no sign-in.\n');
  return 0;
}
