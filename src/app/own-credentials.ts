import { type CredentialsFinder, type CredentialsOptions, createCredentials } from '../auth/credentials.ts';
import type { KeySources } from '../auth/find-key.ts';
import type { CredentialsSource, RequestCredentials } from '../base/credentials.ts';
import { ModelError, messageOf } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';

/** The sources of credentials of an agent. */
export interface KeyParts {
  /** Finds the credentials of requests in the variables and files of the configuration. */
  readonly keys: CredentialsFinder;
  /** Finds the credentials of requests, instead of the variables and files of the configuration. */
  readonly credentials?: OwnCredentials | undefined;
}

/** Makes the sources of credentials. `find` is a function of the embedding program. */
export function createKeyParts(
  find: CredentialsSource | undefined,
  sources: KeySources,
  options: CredentialsOptions,
): KeyParts & { readonly secrets: ReadonlySet<string> } {
  const keys = createCredentials(sources, options);
  const credentials = find && createOwnCredentials(find);
  return { keys, credentials, secrets: (credentials ?? keys).secrets };
}

/** Credentials of the embedding program. */
export interface OwnCredentials {
  /** Returns the credentials of a request. Throws `ModelError` when the program's function fails. */
  of(provider: string, refused: boolean): Promise<RequestCredentials>;
  /** The last values that were returned, which must not be shown. */
  readonly secrets: ReadonlySet<string>;
}

/** Tokens may be new for each request, so only the last ones are remembered. */
const MOST_SECRETS = 100;

/** Returns the credentials that a function of the embedding program finds. Requests at the same time share one call. */
function createOwnCredentials(find: CredentialsSource): OwnCredentials {
  const pending = new Map<string, Promise<RequestCredentials>>();
  const secrets = new Set<string>();

  async function call(provider: string, refused: boolean): Promise<RequestCredentials> {
    let found: unknown;
    try {
      found = await find({ provider, refused });
    } catch (error) {
      throw new ModelError('auth', `The program's own function \`credentials\` failed: ${messageOf(error)}`, {
        cause: error,
      });
    }
    if (!isCredentials(found)) throw new ModelError('auth', WRONG_RESULT);
    for (const value of valuesOf(found)) {
      secrets.delete(value);
      secrets.add(value);
    }
    for (const oldest of secrets) if (secrets.size > MOST_SECRETS) secrets.delete(oldest);
    return found;
  }

  return {
    secrets,
    of(provider, refused) {
      const key = JSON.stringify([provider, refused]);
      const calling = pending.get(key) ?? call(provider, refused).finally(() => pending.delete(key));
      pending.set(key, calling);
      return calling;
    },
  };
}

const WRONG_RESULT =
  "The program's own function `credentials` must return an object with `authorization`, a text, or `headers`, an object of texts.";

function isCredentials(found: unknown): found is RequestCredentials {
  if (!isRecord(found)) return false;
  const { authorization, headers = {} } = found;
  if (authorization !== undefined && typeof authorization !== 'string') return false;
  return isRecord(headers) && Object.values(headers).every((value) => typeof value === 'string');
}

const SHORTEST_SECRET = 8;

/** Returns the texts that must not be shown: whole values, and a token without its scheme. */
function valuesOf({ authorization = '', headers = {} }: RequestCredentials): string[] {
  const values = [authorization, ...authorization.split(' '), ...Object.values(headers)];
  return values.map((value) => value.trim()).filter((value) => value.length >= SHORTEST_SECRET);
}
