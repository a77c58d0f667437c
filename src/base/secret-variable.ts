import { passwordsIn } from './redact-url.ts';

/** Words that name a credential wherever they stand in a name. */
const SECRET_WORD = /^(?:\w*(?:PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL)S?\d*|AUTH|AUTHORIZATION|CREDS|DSN)$/;

/** The same at the end of a name. Names such as GIT_ASKPASS hold a program that asks. */
const SECRET_END = /^(?:PWD|PAT|\w*(?<!ASK|BY|COM|SUR)PASS)\d*$/;

/**
 * Reports whether a variable looks like a credential, by its name or by its value: a URL with a password. `KEY`,
 * `SECRET` and `TOKEN` count anywhere in a name, as in Codex; other words count as words.
 */
export function isSecretVariable(name: string, value = ''): boolean {
  return /KEY|SECRET|TOKEN/i.test(name) || hasSecretWord(name) || passwordsIn(value).length > 0;
}

function hasSecretWord(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '');
  const last = words.at(-1) ?? '';
  // The path of a socket, as in SSH_AUTH_SOCK.
  if (last === 'SOCK') return false;
  return words.some((word) => SECRET_WORD.test(word)) || (SECRET_END.test(last) && name !== 'PWD');
}
