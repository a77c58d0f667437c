import { listAccounts, type ShownAccount, type ShownSignIn } from '../../app/commands/accounts.ts';
import { printable } from '../../text/visible.ts';
import { notice, SIGN_IN_OPTIONS, signInConfig } from '../login/sign-in-options.ts';
import { print } from '../output.ts';
import { parseVerb } from '../threads/parse-verb.ts';

export const help = {
  usage: 'oxbow accounts list [options]',
  about: 'Lists the accounts and their sign-ins. The one with a star is used.',
  options: { json: { type: 'boolean', help: 'Print JSON' }, ...SIGN_IN_OPTIONS },
  example: 'oxbow accounts list --json',
} as const;

/** Runs `oxbow accounts list`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ command: 'accounts', name: 'list', takes: [], help }, argv);
  if (!read) return 0;
  const accounts = await listAccounts(signInConfig(read.values), notice);
  print(read.values.json ? `${JSON.stringify(accounts.map(accountJson), null, 2)}\n` : formatAccounts(accounts));
  return 0;
}

function accountJson({ name, isChosen, signIn }: ShownAccount) {
  const chatgpt = signIn.kind === 'chatgpt' ? signIn : undefined;
  return {
    name,
    chosen: isChosen,
    kind: signIn.kind,
    where: 'where' in signIn ? signIn.where : null,
    email: chatgpt?.email ?? null,
    plan: chatgpt?.plan ?? null,
    account_id: chatgpt?.accountId ?? null,
  };
}

function formatAccounts(accounts: readonly ShownAccount[]): string {
  const width = Math.max(...accounts.map(({ name }) => name.length));
  const rows = accounts.map(
    ({ name, isChosen, signIn }) => `${isChosen ? '*' : ' '} ${name.padEnd(width)}  ${signInText(signIn)}`,
  );
  return printable(`${rows.join('\n')}\n`);
}

function signInText(signIn: ShownSignIn): string {
  switch (signIn.kind) {
    case 'none':
      return 'not signed in';
    case 'key':
      return 'API key';
    case 'chatgpt':
      return ['ChatGPT', signIn.email, signIn.plan && `plan ${signIn.plan}`].filter(Boolean).join(', ');
    case 'other':
      return `a sign-in that only Codex knows (${signIn.mode})`;
    case 'damaged':
      return signIn.why;
  }
}
