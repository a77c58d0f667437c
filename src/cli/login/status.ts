import { type CredentialsStatus, credentialsStatus } from '../../app/commands/accounts.ts';
import { printable } from '../../text/visible.ts';
import { print } from '../output.ts';
import { parseVerb } from '../threads/parse-verb.ts';
import { notice, SIGN_IN_OPTIONS, signInConfig } from './sign-in-options.ts';

export const help = {
  usage: 'oxbow login status [options]',
  about: `Shows the credentials that requests carry, and the place that they come from. A key or token is never shown. The exit
code is 1 if there are none.`,
  options: {
    account: { type: 'string', value: 'NAME', help: 'Show the sign-in of this account' },
    json: { type: 'boolean', help: 'Print JSON' },
    ...SIGN_IN_OPTIONS,
  },
  example: 'oxbow login status --json',
} as const;

/** Runs `oxbow login status`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ command: 'login', name: 'status', takes: [], help }, argv);
  if (!read) return 0;
  const status = await credentialsStatus(signInConfig(read.values), notice);
  print(read.values.json ? `${JSON.stringify(statusJson(status), null, 2)}\n` : printable(`${statusText(status)}\n`));
  return NONE.has(status.credentials.kind) ? 1 : 0;
}

/** Kinds of credentials that no request can carry. */
const NONE: ReadonlySet<string> = new Set(['none', 'damaged', 'other']);

function statusText({ credentials: found, account, provider }: CredentialsStatus): string {
  const named = account === 'default' ? '' : ` (account ${account})`;
  switch (found.kind) {
    case 'not needed':
      return `${provider} needs no key.`;
    case 'none':
      return `Not signed in${named}. To sign in: oxbow login`;
    case 'damaged':
      return `Not signed in${named}: ${found.why}`;
    case 'other':
      return `Not signed in${named}: ${found.where} has a sign-in that only Codex knows (${found.mode}).`;
    case 'variable':
      return `Using an API key from ${found.where}.`;
    case 'key':
      return `Signed in with an API key${named}, from ${found.where}.`;
    case 'chatgpt': {
      const { email, plan, where } = found;
      const who = [email, plan && `plan ${plan}`].filter(Boolean).join(', ');
      return `Signed in with ChatGPT${who === '' ? '' : ` as ${who}`}${named}, from ${where}.`;
    }
  }
}

function statusJson({ credentials: found, account, provider }: CredentialsStatus) {
  const chatgpt = found.kind === 'chatgpt' ? found : undefined;
  return {
    kind: found.kind,
    account,
    provider,
    where: 'where' in found ? found.where : null,
    email: chatgpt?.email ?? null,
    plan: chatgpt?.plan ?? null,
    account_id: chatgpt?.accountId ?? null,
    expires_at: chatgpt?.endsAt === undefined ? null : new Date(chatgpt.endsAt).toISOString(),
  };
}
