import { type Config, loadConfig } from '../../config/load-config.ts';
import { printable } from '../../text/visible.ts';
import { ORIGINS } from '../wording.ts';

/** Options of the commands about sign-ins. */
export const SIGN_IN_OPTIONS = {
  config: { type: 'string', short: 'c', multiple: true, value: 'KEY=VALUE', help: 'Override a setting of config.toml' },
  profile: { type: 'string', short: 'p', value: 'NAME', help: 'Use this profile' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

interface SignInFlags {
  readonly config?: readonly string[] | undefined;
  readonly profile?: string | undefined;
  readonly account?: string | undefined;
}

/** Reads the configuration of a command about sign-ins. Throws `UserError`. */
export function signInConfig({ config = [], profile, account }: SignInFlags): Config {
  return loadConfig({
    origins: ORIGINS,
    overrides: config,
    ...(profile === undefined ? {} : { profile }),
    ...(account === undefined ? {} : { settings: { account } }),
  });
}

/** Prints a notice for the user. */
export function notice(text: string): void {
  process.stderr.write(`note: ${printable(text)}\n`);
}
