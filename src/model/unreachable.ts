import { type ModelError, messageOf } from '../base/errors.ts';
import { ProxyFault } from './http/proxy-fault.ts';

/** The reason why a server could not be reached, in words, and whether it is likely to last. */
export interface Unreachable {
  readonly message: string;
  readonly lasting: boolean;
}

const CHECK_SERVER = 'Check that the server is running and that base_url is right.';
const CHECK_NAME = 'Check the network, and the host name in base_url.';
const CHECK_NETWORK = 'Check the network, a firewall or proxy on the way, and base_url.';
const CHECK_CERTIFICATE =
  'If it belongs to a company proxy or to your own server, name its certificate file in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS.';

interface Row {
  /** Words of our own. Without them the message of the error counts. */
  readonly why?: string;
  readonly advice: string;
  readonly lasting?: true;
}

const certificate = (why: string): Row => ({ why, advice: CHECK_CERTIFICATE, lasting: true });

const CHECK_TLS = 'Check whether base_url should begin with http://.';

const NO_TLS: Row = {
  why: 'the server does not speak TLS',
  advice: CHECK_TLS,
  lasting: true,
};

const TOO_MANY_FILES: Row = {
  why: 'too many files are open',
  advice: 'Close some, or raise the limit (ulimit -n).',
};

const ROWS: Readonly<Record<string, Row>> = {
  ECONNREFUSED: { why: 'connection refused', advice: CHECK_SERVER },
  ENOTFOUND: { why: 'no such host', advice: CHECK_NAME },
  EAI_AGAIN: { why: 'the host name could not be looked up', advice: CHECK_NAME },
  ETIMEDOUT: { why: 'the connection timed out', advice: CHECK_NETWORK },
  ERR_TLS_HANDSHAKE_TIMEOUT: {
    why: 'the server accepted the connection, but did not begin TLS in time',
    advice: CHECK_TLS,
  },
  EMFILE: TOO_MANY_FILES,
  ENFILE: TOO_MANY_FILES,
  EHOSTUNREACH: { why: 'no route to the host', advice: CHECK_NETWORK },
  ENETUNREACH: { why: 'the network is unreachable', advice: CHECK_NETWORK },
  ECONNRESET: { why: 'the server closed the connection without an answer', advice: CHECK_SERVER },
  EPIPE: { why: 'the server closed the connection without an answer', advice: CHECK_SERVER },
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  // Bytes that are not HTTP, or are more than it allows. The message of the error says which.
  HPE_INVALID_CONSTANT: { advice: CHECK_SERVER, lasting: true },
  DEPTH_ZERO_SELF_SIGNED_CERT: certificate('its certificate is self-signed'),
  SELF_SIGNED_CERT_IN_CHAIN: certificate('its certificate comes from an unknown authority'),
  UNABLE_TO_GET_ISSUER_CERT: certificate('its certificate comes from an unknown authority'),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: certificate('its certificate comes from an unknown authority'),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: certificate('its certificate comes from an unknown authority'),
  CERT_HAS_EXPIRED: certificate('its certificate has expired'),
  CERT_NOT_YET_VALID: certificate('its certificate is not valid yet; the clock of this machine may be wrong'),
  ERR_TLS_CERT_ALTNAME_INVALID: certificate('its certificate is for another host name'),
};

/** Describes an error of the connection. `url` must not contain secrets. */
export function describeUnreachable(url: string, error: unknown): Unreachable {
  if (error instanceof ProxyFault) return error;
  const { why, advice, lasting } = explainUnreachable(error);
  return { message: `Cannot reach ${url}: ${why}. ${advice}`, lasting };
}

/** Returns the reason of an error of the connection, as a clause, with advice about the server. */
export function explainUnreachable(error: unknown) {
  const code = codeOf(error);
  const row = Object.hasOwn(ROWS, code) ? ROWS[code] : undefined;
  const why = row?.why ?? (messageOf(error) || code || 'the connection failed');
  return { code, why, advice: row?.advice ?? CHECK_SERVER, lasting: row?.lasting ?? false };
}

/** Reports whether a server was silent for too long, before or after the connection stood. */
export function isTimeout({ code, cause }: ModelError): boolean {
  return code === 'idle_timeout' || TIMEOUTS.has(codeOf(cause));
}

const TIMEOUTS: ReadonlySet<string> = new Set(['ETIMEDOUT', 'ERR_TLS_HANDSHAKE_TIMEOUT']);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
