import { cutMiddle } from '../../base/bound-text.ts';
import { messageOf, UserError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import { redactUrls } from '../../base/redact-url.ts';
import { faultIn } from './fault-answer.ts';
import type { Sdk } from './load-sdk.ts';

/** Bound on the words of a server in a sentence. */
const WORDS = { unit: 'bytes', limit: 2000 } as const;

/** Codes of connections that were never made, so that the server has seen nothing. */
const UNREACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

/** Kinds of faults by the codes of the SDK. */
const KINDS: Readonly<Record<string, McpFault['kind']>> = {
  REQUEST_TIMEOUT: 'timeout',
  CONNECTION_CLOSED: 'lost',
  NOT_CONNECTED: 'lost',
  SEND_FAILED: 'lost',
  INVALID_RESULT: 'invalid',
  UNSUPPORTED_RESULT_TYPE: 'invalid',
  INPUT_REQUIRED_ROUNDS_EXCEEDED: 'invalid',
  LIST_PAGINATION_EXCEEDED: 'invalid',
  CLIENT_HTTP_UNEXPECTED_CONTENT: 'invalid',
  CAPABILITY_NOT_SUPPORTED: 'refused',
  METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION: 'refused',
};

const SAYS: Readonly<Record<McpFault['kind'], string>> = {
  start: 'could not be reached',
  sign_in: 'wants a sign-in',
  timeout: 'did not answer in time',
  lost: 'closed the connection before it answered',
  refused: 'refused the request',
  invalid: 'sent an answer that is not valid',
  cancelled: 'was asked to stop',
};

/** Returns the fault that an error of the SDK, of `fetch` or of a process stands for. */
export function faultOf(sdk: Sdk, server: string, error: unknown): McpFault {
  const carried = faultIn(error) ?? causeOf(error);
  if (carried !== undefined) return carried;
  const kind = kindOf(sdk, error);
  if (kind === 'sign_in') return signInFault(server);
  const words = redactUrls(cutMiddle(wordsOf(sdk, error), WORDS)).replace(/[.\s]+$/, '');
  return new McpFault(kind, `The MCP server "${server}" ${SAYS[kind]}${words === '' ? '' : `: ${words}`}.`);
}

/** Returns the fault of a server that wants a sign-in which only a person can do. */
export function signInFault(server: string): McpFault {
  return new McpFault('sign_in', `The MCP server "${server}" wants a sign-in. Run: oxbow mcp login ${server}`);
}

function kindOf(sdk: Sdk, error: unknown): McpFault['kind'] {
  if (error instanceof sdk.ProtocolError) return 'refused';
  if (error instanceof sdk.UnauthorizedError || error instanceof sdk.InsufficientScopeError) return 'sign_in';
  if (error instanceof sdk.SdkHttpError) return error.status === 401 ? 'sign_in' : 'refused';
  if (error instanceof sdk.SdkError && error.code in KINDS) return KINDS[error.code] ?? 'lost';
  if (error instanceof sdk.OAuthError || error instanceof sdk.OAuthClientFlowError) return 'sign_in';
  if (error instanceof SyntaxError || nameOf(error) === 'ZodError') return 'invalid';
  return UNREACHED.includes(codeIn(error)) ? 'start' : 'lost';
}

/** Returns the part of an error that is worth reading. */
function wordsOf(sdk: Sdk, error: unknown): string {
  if (error instanceof sdk.ProtocolError) return `${error.message} (${error.code})`;
  if (error instanceof sdk.SdkHttpError) return httpWords(error.status, error.data.text);
  if (nameOf(error) === 'ZodError') return 'it is not JSON-RPC';
  const code = codeIn(error);
  return code === '' ? messageOf(error) : `${messageOf(error)} (${code})`;
}

function httpWords(status: number, text: unknown): string {
  return typeof text === 'string' && text.trim() !== '' ? `HTTP ${status}, ${text.trim()}` : `HTTP ${status}`;
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : '');

/**
 * Returns the fault that an error is, or that caused it: `fetch` and the SDK put errors into others. A file with
 * credentials that cannot be used is a mistake of the user, and named as such.
 */
function causeOf(error: unknown): McpFault | undefined {
  if (error instanceof McpFault) return error;
  if (error instanceof UserError) return new McpFault('start', error.message);
  return error instanceof Error ? causeOf(error.cause) : undefined;
}

/** Returns the code of the system error that caused an error, or an empty text. */
function codeIn(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = isRecord(cause) ? cause.code : undefined;
  if (typeof code === 'string') return code;
  return cause === undefined ? '' : codeIn(cause);
}
