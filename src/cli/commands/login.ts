import { text } from 'node:stream/consumers';
import { openBrowser } from '../../app/commands/open-browser.ts';
import { type KeptSignIn, signInWithBrowser, signInWithDevice, signInWithKey } from '../../app/commands/sign-in.ts';
import { UserError } from '../../base/errors.ts';
import type { Config } from '../../config/load-config.ts';
import { printable } from '../../text/visible.ts';
import { formatHelp } from '../format-help.ts';
import { verbs } from '../login/index.ts';
import { notice, SIGN_IN_OPTIONS, signInConfig } from '../login/sign-in-options.ts';
import { interruptible } from '../mcp/interruptible.ts';
import { print } from '../output.ts';
import { didYouMean, parseOptions, UsageError } from '../parse-options.ts';

export { verbs };

const options = {
  'device-auth': { type: 'boolean', help: 'Sign in with a code that you type in a browser anywhere' },
  'with-api-key': { type: 'boolean', help: 'Store an API key, which is typed or read from standard input' },
  account: { type: 'string', value: 'NAME', help: 'Keep the sign-in as the account of this name' },
  'no-browser': { type: 'boolean', help: 'Only print the address' },
  ...SIGN_IN_OPTIONS,
} as const;

export const help = {
  usage: 'oxbow login [status] [options]',
  about: `Signs in with ChatGPT: prints an address, and opens it if this is a terminal with a browser. The sign-in is kept in
auth.json of the home, in the form of Codex. status shows which credentials are used.`,
  options,
  example: 'printenv OPENAI_API_KEY | oxbow login --with-api-key',
};

/** Runs `oxbow login`, which signs in with ChatGPT or stores a key. */
export async function run(argv: readonly string[]): Promise<number> {
  if (argv[0] === 'status') return (await import('../login/status.ts')).run(argv.slice(1));
  const { values, positionals } = parseOptions('login', options, argv);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  const [word] = positionals;
  if (word !== undefined)
    throw new UsageError(`Unexpected "${word}".${didYouMean(word, Object.keys(verbs))} See oxbow login --help.`);
  if (values['device-auth'] && values['with-api-key'])
    throw new UsageError('--device-auth cannot be used with --with-api-key.');
  const config = signInConfig(values);
  return interruptible(async (signal) => {
    const kept = values['with-api-key']
      ? await signInWithKey(config, await readKey(), notice)
      : values['device-auth']
        ? await byDevice(config, signal)
        : await byBrowser(config, values['no-browser'] ?? false, signal);
    print(printable(keptText(kept, config)));
    return 0;
  });
}

function byBrowser(config: Config, isOnlyPrinted: boolean, signal: AbortSignal): Promise<KeptSignIn> {
  const show = (url: URL) => {
    tell(`To sign in with ChatGPT, open this address:\n\n${url.href}\n\n`);
    // Without a terminal, as in a script, a window would come out of nowhere.
    const mayOpen = !isOnlyPrinted && process.stderr.isTTY === true && !config.env.CI;
    tell(
      mayOpen && openBrowser(url, config.env, process.platform)
        ? 'It was opened in your browser. Waiting for you to sign in.\n'
        : 'Waiting for you to sign in. Where no browser can reach this machine, use oxbow login --device-auth.\n',
    );
  };
  const originator = process.env.CODEX_INTERNAL_ORIGINATOR_OVERRIDE || 'oxbow_cli';
  return signInWithBrowser(config, { originator, signal, show, onNotice: notice });
}

function byDevice(config: Config, signal: AbortSignal): Promise<KeptSignIn> {
  return signInWithDevice(config, {
    signal,
    onNotice: notice,
    show({ url, code, minutes }) {
      tell(`To sign in with ChatGPT:

1. Open this address in any browser, and sign in there:
   ${url}
2. Type this code, which is valid for ${minutes} minutes:
   ${code}

Only type a code that you asked for yourself. Waiting for you to sign in.
`);
    },
  });
}

/** Prints a text for the person who signs in. Standard output is for the result. */
function tell(text: string): void {
  process.stderr.write(printable(text));
}

/** Reads a key from standard input. On a terminal the key is asked for and does not stay on the screen. */
async function readKey(): Promise<string> {
  const pipe = 'printenv OPENAI_API_KEY | oxbow login --with-api-key';
  const { stdin } = process;
  const key = (
    stdin.isTTY ? await (await import('../login/ask-key.ts')).askKey(stdin, tell) : await text(stdin)
  ).trim();
  if (key === '') throw new UserError('invalid_input', `Standard input has no key. For example: ${pipe}`);
  if (/\s/.test(key)) throw new UserError('invalid_input', 'Standard input has more than a key. Pass the key alone.');
  return key;
}

function keptText({ kind, account, where, email, plan }: KeptSignIn, config: Config): string {
  const who = [email, plan && `plan ${plan}`].filter(Boolean).join(', ');
  const signedIn = `You are signed in with ChatGPT${who === '' ? '' : ` as ${who}`}. The sign-in`;
  const use = config.account === account ? `To use it: --account ${account}, or oxbow accounts use ${account}\n` : '';
  return `${kind === 'key' ? 'The key' : signedIn} is kept in ${where}.\n${use}`;
}
