import { ModelError } from '../base/errors.ts';
import type { Provider } from '../base/provider.ts';
import { isSecretParameter, MIN_SECRET_CHARS } from '../base/redact-url.ts';
import type { ClientWire, CredentialHeader } from '../base/wire.ts';
import { isHeaderName, isUnsendable } from './http/header-syntax.ts';

/** Credentials of a request. */
export interface HeaderCredentials {
  /** A token, or a whole header value with its scheme. */
  readonly authorization?: string;
  /** The account of a ChatGPT sign-in. */
  readonly accountId?: string;
  /** Variable, file or program that the credential comes from, for people. */
  readonly where?: string;
  /** Further headers, all of them secret. They win over those of the provider. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The client in whose name a request is sent. */
export interface ClientIdentity {
  /** Id by which a request is found in the log of its server. The requests of a thread have the id of the thread. */
  readonly requestId: string;
  /** The thread of the requests. The gateway has none: a thread is known to its clients only. */
  readonly threadId?: string;
  readonly originator: string;
  readonly userAgent: string;
}

export interface HeaderSources {
  readonly provider: Provider;
  readonly identity: ClientIdentity;
  readonly credentials: HeaderCredentials;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly wire: Pick<ClientWire, 'framing' | 'headers' | 'credential'>;
  /** Further headers. They win over those of the wire. */
  readonly more?: Readonly<Record<string, string>> | undefined;
}

/** Returns the headers of a request, with names in lower case. The provider's settings take precedence. */
export function requestHeaders(sources: HeaderSources): Record<string, string> {
  const { provider, identity, credentials, env, wire, more } = sources;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: wire.framing.accept,
    'accept-encoding': 'identity',
    originator: identity.originator,
    'user-agent': identity.userAgent,
    'x-client-request-id': identity.requestId,
  };
  const { threadId } = identity;
  if (threadId !== undefined)
    Object.assign(headers, { 'session-id': threadId, session_id: threadId, 'thread-id': threadId });
  addAll(headers, wire.headers);
  addAll(headers, more);
  if (credentials.authorization) addCredential(headers, credentials.authorization.trim(), wire.credential);
  if (credentials.accountId) headers['chatgpt-account-id'] = credentials.accountId;
  addAll(headers, provider.headers);
  for (const name in provider.envHeaders) {
    const value = env[provider.envHeaders[name] ?? '']?.trim();
    if (value) headers[name.toLowerCase()] = value;
  }
  for (const name in credentials.headers) headers[name.toLowerCase()] = credentials.headers[name]?.trim() ?? '';
  assertSendable(headers, wire.credential);
  return headers;
}

function addAll(headers: Record<string, string>, more: Readonly<Record<string, string>> | undefined): void {
  for (const name in more) headers[name.toLowerCase()] = more[name] ?? '';
}

/** Returns a function that removes secret values of headers and query parameters, and further ones, from a text. */
export function redactor(
  headers: Readonly<Record<string, string>>,
  provider: Provider,
  more: readonly string[] = [],
): (text: string) => string {
  // Computed when first needed: most exchanges have no text to redact.
  let secrets: readonly string[] | undefined;
  return (text) => {
    secrets ??= secretsOf(headers, provider, more);
    return secrets.reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), text);
  };
}

/** Reports whether a request has a header or a query parameter with a credential. */
export function hasSecrets(headers: Readonly<Record<string, string>>, { queryParams }: Provider): boolean {
  return [...Object.keys(headers), ...Object.keys(queryParams)].some(isSecretParameter);
}

/** Returns the secret values, longest first. */
function secretsOf(
  headers: Readonly<Record<string, string>>,
  provider: Provider,
  more: readonly string[],
): readonly string[] {
  const named = [...Object.entries(headers), ...Object.entries(provider.queryParams)];
  const values = named.filter(([name]) => isSecretParameter(name)).flatMap(([, value]) => [value, ...value.split(' ')]);
  return [...new Set([...values, ...more])]
    .filter((value) => value.length >= MIN_SECRET_CHARS)
    .sort((a, b) => b.length - a.length);
}

/** Adds a credential. A token cannot contain a blank, so a credential with a blank has its own scheme. */
function addCredential(headers: Record<string, string>, credential: string, { name, scheme }: CredentialHeader): void {
  if (credential.includes(' ')) headers.authorization = credential;
  else headers[name] = scheme === undefined ? credential : `${scheme} ${credential}`;
}

function assertSendable(headers: Readonly<Record<string, string>>, credential: CredentialHeader): void {
  for (const name in headers) {
    if (isHeaderName(name) && !isUnsendable(headers[name] ?? '')) continue;
    throw new ModelError(
      name === 'authorization' || name === credential.name ? 'auth' : 'bad_request',
      `The header ${JSON.stringify(name)} cannot be sent: its name or value holds a character that HTTP does not allow, such as a line break. Check the key and the headers of this provider.`,
    );
  }
}
