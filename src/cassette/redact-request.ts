import { isRecord } from '../base/json-schema.ts';
import { isSecretParameter, redactUrl } from '../base/redact-url.ts';
import { type CassetteHeaders, type ExchangeRequest, REDACTED } from './cassette.ts';
import type { SecretFinder } from './secret-finder.ts';

/** Headers that identify the sender. Their values are not searched for elsewhere: they may be plain words. */
const PRIVATE_NAME = /organi[sz]ation|project/i;
/** Secret fields of a body. Fields with similar names, such as the key of a cache, are part of the protocol. */
const SECRET_FIELD = /^(api[-_]?key|(access|refresh|id|auth)[-_]?token|client[-_]?secret|authorization|password)$/i;

/** Returns a request without its credentials and without any other secret. */
export function redactRequest(request: ExchangeRequest, secrets: SecretFinder): ExchangeRequest {
  return {
    method: request.method,
    // The part after # is not sent.
    url: secrets.redact(redactUrl(request.url.replace(/#.*/s, ''), REDACTED)),
    headers: redactHeaders(request.headers, secrets),
    body: redactBody(request.body, secrets),
  };
}

export function redactHeaders(headers: CassetteHeaders, secrets: SecretFinder): CassetteHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (isSecretParameter(name) || PRIVATE_NAME.test(name)) return [name, REDACTED];
      return [name, typeof value === 'string' ? secrets.redact(value) : value.map(secrets.redact)];
    }),
  );
}

/** Returns the credentials of a request, which the server may repeat in its response. */
export function secretsIn({ url, headers, body }: ExchangeRequest): string[] {
  const inHeaders = Object.entries(headers).flatMap(([name, value]) =>
    isSecretParameter(name) ? [value].flat().flatMap((text) => [text, ...tokensOf(text)]) : [],
  );
  const inQuery = queryOf(url).flatMap(({ name, value }) => (isSecretParameter(name) ? [value] : []));
  return [...inHeaders, ...inQuery, ...secretFields(body)];
}

/**
 * Returns the parts of a header that may be secret: TOKEN of `Bearer TOKEN`, the values of `name=VALUE; other=VALUE`.
 */
function tokensOf(header: string): string[] {
  return header.split(/;?\s+/).flatMap((part) => [part, part.slice(part.indexOf('=') + 1)]);
}

function queryOf(url: string): { name: string; value: string }[] {
  return (/\?([^#]*)/.exec(url)?.[1] ?? '').split('&').map((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? { name: pair, value: '' } : { name: pair.slice(0, at), value: pair.slice(at + 1) };
  });
}

function redactBody(body: unknown, secrets: SecretFinder): unknown {
  if (typeof body === 'string') return secrets.redact(body);
  if (Array.isArray(body)) return body.map((part) => redactBody(part, secrets));
  if (!isRecord(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      secrets.redact(name),
      SECRET_FIELD.test(name) && typeof value === 'string' ? REDACTED : redactBody(value, secrets),
    ]),
  );
}

function secretFields(body: unknown): string[] {
  if (Array.isArray(body)) return body.flatMap(secretFields);
  if (!isRecord(body)) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    SECRET_FIELD.test(name) && typeof value === 'string' ? [value] : secretFields(value),
  );
}
