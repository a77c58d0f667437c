import { cutMiddle } from '../../base/bound-text.ts';
import { messageOf, UserError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';

/** Sends a request. Resolves with the head of the answer, whatever its status, and rejects if no answer came. */
export type AuthSend = (url: URL, request: AuthRequest) => Promise<AuthAnswer>;

export interface AuthRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

export interface AuthAnswer {
  readonly status: number;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The server that signs people in, and how it is reached. */
export interface AuthServer {
  /** Address without a slash at its end. */
  readonly issuer: string;
  readonly clientId: string;
  readonly send: AuthSend;
}

/** An answer as a whole. */
export interface WholeAnswer {
  readonly status: number;
  /** Fields of the JSON object in the answer. Empty if there is none. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface PostOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  /** Called with the bytes of a good answer as they come. */
  readonly onBytes?: (bytes: Uint8Array) => void;
}

const TIMEOUT_MS = 30_000;
/** No answer of such a server is longer. */
const MOST_BYTES = 1024 * 1024;

/** Posts a form or a JSON object. Throws `UserError` if the server cannot be reached, and the reason of the signal. */
export async function post(
  { issuer, send }: AuthServer,
  path: string,
  body: URLSearchParams | Readonly<Record<string, string>>,
  { signal, timeoutMs = TIMEOUT_MS, onBytes }: PostOptions = {},
): Promise<WholeAnswer> {
  const isForm = body instanceof URLSearchParams;
  const request: AuthRequest = {
    headers: {
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      accept: 'application/json',
    },
    body: isForm ? String(body) : JSON.stringify(body),
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
  };
  try {
    const answer = await send(new URL(`${issuer}${path}`), request);
    return { status: answer.status, fields: fieldsOf(await readAll(answer, onBytes)) };
  } catch (error) {
    signal?.throwIfAborted();
    const why = request.signal.aborted ? 'it did not answer in time' : messageOf(error);
    throw new UserError('unavailable', `${issuer} cannot be reached to sign in: ${why}. Check the network.`, {
      cause: error,
    });
  }
}

/** Returns the code of an error and the server's words about it, bounded. */
export function errorIn({ fields }: WholeAnswer): { readonly code: string | undefined; readonly words: string } {
  const { error, error_description, code: outer } = fields;
  const inner = isRecord(error) ? error : {};
  const code = [inner.code, error, outer].find((value) => typeof value === 'string') as string | undefined;
  const said = [error_description, inner.message, fields.message, code].find((value) => typeof value === 'string');
  // A server may repeat the token that it refuses.
  const words = String(said ?? '').replace(/[\w.~+/=-]{24,}/g, '…');
  return { code, words: cutMiddle(words, { unit: 'bytes', limit: 300 }) };
}

/** Returns the end of a sentence about an answer that is not good: the server's words, or the status. */
export function refusalText(answer: WholeAnswer): string {
  const { words } = errorIn(answer);
  const sentence = words === '' ? '' : `: ${words}`;
  return `status ${answer.status}${sentence}`.replace(/\.?$/, '.');
}

async function readAll({ status, body }: AuthAnswer, onBytes: PostOptions['onBytes']): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of body) {
    size += bytes.byteLength;
    if (size > MOST_BYTES) throw new Error('its answer is too long');
    pieces.push(bytes);
    if (status === 200) onBytes?.(bytes);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    // A proxy answers with a page. Its status says enough.
    return {};
  }
}
