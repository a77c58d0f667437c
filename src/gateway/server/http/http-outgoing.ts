import type { Socket } from 'node:net';
import { untilDrained } from '../../../base/until-drained.ts';
import { isAscii, isUnsendable } from '../../../model/http/header-syntax.ts';
import type { Outgoing } from '../client-io.ts';
import type { RequestHead } from './request-head.ts';

/** The connection that an answer is written to. */
export interface AnsweredConnection {
  readonly socket: Socket;
  /** Returns the time as HTTP writes it. */
  date(): string;
  /** Returns the lines of headers. */
  linesOf(headers: Headers): FieldLines;
  /** Reports whether another request may follow: the client wants it, and this request was read to its end. */
  mayKeep(): boolean;
  /** Called at the end of the answer. If `isKept`, the client may send its next request. */
  answered(isKept: boolean): void;
}

/** Longer than clients and proxies usually keep a connection, so that the client is the one who closes it. */
export const KEEP_ALIVE_MS = 75_000;
/** Text of this length is sent without a flush. */
const MAX_UNSENT = 16 * 1024;

type Framing = 'chunked' | 'plain' | 'no-body';

type Headers = Readonly<Record<string, string>>;

/** The answer to one request. Text that is written between two flushes goes out in one piece. */
export class HttpOutgoing implements Outgoing {
  readonly trailers: boolean;
  private readonly connection: AnsweredConnection;
  private readonly socket: Socket;
  private readonly isHead: boolean;
  private readonly isModern: boolean;
  /** Undefined until the head is set. */
  private framing: Framing | undefined;
  private isKept = false;
  private isEnded = false;
  /** Number of bytes that are missing from a body whose length was stated; NaN for other bodies. */
  private missing = Number.NaN;
  private unsent = '';

  constructor(connection: AnsweredConnection, { method, isModern }: Pick<RequestHead, 'method' | 'isModern'>) {
    this.connection = connection;
    this.socket = connection.socket;
    this.isHead = method === 'HEAD';
    this.isModern = isModern;
    this.trailers = isModern && !this.isHead;
  }

  hasBegun(): boolean {
    return this.framing !== undefined;
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.framing !== undefined || this.socket.destroyed) return;
    const length = headers['content-length'];
    const hasBody = !this.isHead && status !== 204 && status !== 304;
    // Without a length and without chunks, only the end of the connection ends a body.
    this.isKept =
      headers.connection === undefined &&
      (length !== undefined || this.isModern || !hasBody) &&
      this.connection.mayKeep();
    const fields = this.connection.linesOf(headers);
    const own = this.ownLines(hasBody && length === undefined, headers.connection);
    this.framing = hasBody ? (length === undefined && this.isModern ? 'chunked' : 'plain') : 'no-body';
    if (hasBody && length !== undefined) this.missing = Number(length);
    const text = `HTTP/1.1 ${status} ${REASONS[status] ?? ''}\r\n${fields.text}${own}\r\n`;
    // A head has one byte for each character, unlike the text after it.
    if (fields.isAscii) this.unsent += text;
    else this.socket.write(text, 'latin1');
  }

  private ownLines(isOpenEnded: boolean, connection: string | undefined): string {
    const chunked = isOpenEnded && this.isModern ? 'transfer-encoding: chunked\r\n' : '';
    const kept = this.isKept ? KEPT : connection === undefined ? 'connection: close\r\n' : '';
    return `date: ${this.connection.date()}\r\n${kept}${chunked}`;
  }

  write(bytes: string | Uint8Array): Promise<void> | undefined {
    const { socket, framing } = this;
    if (framing === undefined || framing === 'no-body' || this.isEnded || socket.destroyed) return undefined;
    const size = typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.byteLength;
    // A chunk without bytes would end the body.
    if (size === 0) return undefined;
    this.missing -= size;
    const isChunked = framing === 'chunked';
    if (isChunked) this.unsent += `${size.toString(16)}\r\n`;
    if (typeof bytes === 'string') this.unsent += bytes;
    else this.addBytes(bytes);
    if (isChunked) this.unsent += '\r\n';
    if (this.unsent.length >= MAX_UNSENT) this.flush();
    return socket.writableNeedDrain ? untilDrained(socket) : undefined;
  }

  private addBytes(bytes: Uint8Array): void {
    this.socket.cork();
    this.flush();
    this.socket.write(bytes);
    process.nextTick(uncork, this.socket);
  }

  flush(): void {
    const text = this.unsent;
    if (text === '') return;
    this.unsent = '';
    this.socket.write(text);
  }

  end(trailers: Readonly<Record<string, string>> = {}): void {
    if (this.framing === undefined || this.isEnded || this.socket.destroyed) return;
    this.isEnded = true;
    // The client would wait for the rest, or take it from the next answer.
    if (this.missing > 0 || this.missing < 0) {
      this.socket.destroy();
      return;
    }
    if (this.framing === 'chunked') this.unsent += `0\r\n${fieldLines(trailers)}\r\n`;
    this.flush();
    this.connection.answered(this.isKept);
  }

  abort(): void {
    if (!this.isEnded) this.socket.destroy();
  }
}

function uncork(socket: Socket): void {
  socket.uncork();
}

const KEPT = `connection: keep-alive\r\nkeep-alive: timeout=${KEEP_ALIVE_MS / 1000}\r\n`;

/** The lines of headers in the head of an answer. */
export interface FieldLines {
  readonly text: string;
  readonly isAscii: boolean;
}

/**
 * Returns a function that returns the lines of headers. It keeps the last lines: all streams begin with the same
 * headers.
 */
export function createFieldLines(): AnsweredConnection['linesOf'] {
  let last: { readonly headers: Headers; readonly lines: FieldLines } | undefined;
  return (headers) => {
    if (last?.headers === headers) return last.lines;
    const text = fieldLines(headers);
    last = { headers, lines: { text, isAscii: isAscii(text) } };
    return last.lines;
  };
}

/** Returns the lines of headers. Throws for a line break in a value, which would begin another header. */
function fieldLines(headers: Readonly<Record<string, string>>): string {
  let lines = '';
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (isUnsendable(value)) throw new Error('a header of the answer holds a character that HTTP does not allow');
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/** Words for the statuses that a gateway sends itself. Others have none, which HTTP allows. */
const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  204: 'No Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  426: 'Upgrade Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  529: 'Overloaded',
};
