import { COUNT, checked, isStrings, type Kind, oneOf, parsed, refined, TEXT } from '../setting/kinds.ts';
import { setting, type ValuesOf } from '../setting/setting.ts';

/** An address without a slash at its end, to which paths are added. */
const ADDRESS: Kind<string> = parsed('a string that is an address with http:// or https://', ({ value }) =>
  typeof value === 'string' && /^https?:\/\/./.test(value) && URL.canParse(value)
    ? value.replace(/\/+$/, '')
    : undefined,
);

const PORTS = checked(
  'a list of ports',
  (value): value is readonly number[] =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((port) => Number.isInteger(port) && port >= 0 && port < 65536),
);

/** One text, or several. */
const TEXT_OR_TEXTS: Kind<readonly string[]> = parsed('a string or a list of strings', ({ value }) => {
  if (typeof value === 'string') return [value];
  return isStrings(value) ? value : undefined;
});

export const AUTH_SETTINGS = {
  /** Address of the server at which `oxbow login` signs in. */
  issuer: setting('auth.issuer', ADDRESS, { default: 'https://auth.openai.com' }),
  /** Id under which Oxbow signs in there. It is that of Codex. */
  clientId: setting(
    'auth.client_id',
    refined(TEXT, 'a string that is not empty', (id) => id !== ''),
    {
      default: 'app_EMoamEEZ73f0CkXaXp7hrann',
    },
  ),
  /** Ports of this machine that a browser may return to. The first free one is used. */
  callbackPorts: setting('auth.callback_ports', PORTS, { default: [1455, 1457] }),
  /** Days after which tokens that do not say when they expire are refreshed. */
  refreshAfterDays: setting('auth.refresh_after_days', COUNT, { default: 8 }),
  /**
   * Place of sign-ins: `auth.json` in the home, or the keyring of the system. With `auto` and `keyring` the file is used
   * where there is no keyring.
   */
  credentialsStore: setting('cli_auth_credentials_store', oneOf('file', 'keyring', 'auto'), { default: 'file' }),
  /** The only way of signing in that is allowed: with ChatGPT, or with a key. */
  forcedLoginMethod: setting('forced_login_method', oneOf('chatgpt', 'api')),
  /** Id of the only ChatGPT workspace that may be signed in to, or a list of ids. */
  forcedWorkspaces: setting('forced_chatgpt_workspace_id', TEXT_OR_TEXTS),
};

/** Settings of sign-ins. */
export type AuthConfig = ValuesOf<typeof AUTH_SETTINGS>;

export const ACCOUNT_SETTINGS = {
  /**
   * Name of the [account](sign-in.md#several-accounts) whose sign-in is used. `--account NAME` beats it.
   * @default the one that `oxbow accounts use` chose
   */
  account: setting(
    'account',
    refined(TEXT, 'a string that names an account', (name) => name !== ''),
  ),
};
