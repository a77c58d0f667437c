import type { Socket } from 'node:net';
import { HttpSyntaxError } from '../../../model/http/http-syntax-error.ts';
import { HttpMessageReader, type MessageParts } from '../../../model/http/message-reader.ts';
import { asClientError, ClientError } from '../../../wire/edge/client-error.ts';
import type { Incoming, Outgoing } from '../client-io.ts';
import { sendError } from '../send-json.ts';
import { type AskingConnection, HttpIncoming } from './http-incoming.ts';
import { type AnsweredConnection, HttpOutgoing, KEEP_ALIVE_MS } from './http-outgoing.ts';
import { type RequestHead, readRequestHead } from './request-head.ts';

export interface ClientConnectionOwner {
  /** Returns the time as HTTP writes it. */
  readonly date: () => string;
  readonly linesOf: AnsweredConnection['linesOf'];
  /** Called for each request. An answer that is given before the whole body has come ends the connection. */
  handle(incoming: Incoming, outgoing: Outgoing): void;
  /** Called once for each request, when its client has the answer completely or has left. */
  answered(): void;
  gone(connection: ClientConnection): void;
}

const HEADERS_TIMEOUT_MS = 30_000;
/** The time that a client has to read its last answer. */
const LINGER_MS = 1000;
/** Size of the requests that may wait behind the one that is being answered. */
const MAX_WAITING_BYTES = 64 * 1024;

/** A connection of a client, for one request after the other. */
export class ClientConnection implements MessageParts<RequestHead>, AskingConnection, AnsweredConnection {
  readonly socket: Socket;
  readonly date: () => string;
  readonly linesOf: AnsweredConnection['linesOf'];
  private readonly owner: ClientConnectionOwner;
  private readonly reader: HttpMessageReader<RequestHead>;
  /** The request that is being answered, and its answer. */
  private incoming: HttpIncoming | undefined;
  private outgoing: HttpOutgoing | undefined;
  /** Bytes of the requests after it. */
  private waiting: Buffer | undefined;
  /** Whether the head of the request has come and nothing else has been done with it. */
  private isNew = false;
  private isPaused = false;
  /** Whether the client sends its body only after `100 Continue`. */
  private isAwaited = false;
  /** Whether the last answer was sent, and all that still comes is dropped. */
  private isClosing = false;
  /** The time at which the connection ends, on the clock of `performance`. */
  private deadline = performance.now() + HEADERS_TIMEOUT_MS;

  constructor(socket: Socket, owner: ClientConnectionOwner) {
    this.socket = socket;
    this.owner = owner;
    this.date = owner.date;
    this.linesOf = owner.linesOf;
    this.reader = new HttpMessageReader(this, readRequestHead);
    this.reader.next();
    socket.on('data', (bytes: Buffer) => this.take(bytes));
    // A broken connection is noticed when it closes. The error itself adds nothing.
    socket.on('error', () => {});
    socket.on('close', () => this.takeClose());
  }

  /** Ends the connection if its client was silent for too long. */
  checkTime(now: number): void {
    if (now < this.deadline) return;
    if (this.isClosing || this.reader.held === undefined) this.socket.destroy();
    else this.refuse(new ClientError('The request did not arrive in time.', { status: 408, code: 'request_timeout' }));
  }

  private take(bytes: Buffer): void {
    if (this.isClosing) return;
    if (this.incoming?.isWhole) {
      this.hold(bytes);
      return;
    }
    const isBegun = this.reader.held !== undefined;
    try {
      const rest = this.reader.push(bytes);
      if (rest !== undefined) this.hold(rest);
    } catch (error) {
      this.handleNew();
      this.refuse(errorFor(error));
      return;
    }
    this.handleNew();
    if (!isBegun && this.incoming === undefined) this.deadline = performance.now() + HEADERS_TIMEOUT_MS;
  }

  /** Keeps bytes of later requests, which are read after this one was answered. */
  private hold(bytes: Buffer): void {
    this.waiting = this.waiting === undefined ? bytes : Buffer.concat([this.waiting, bytes]);
    if (this.waiting.length > MAX_WAITING_BYTES) this.wait();
  }

  head(head: RequestHead): void {
    const incoming = new HttpIncoming(this, head);
    const outgoing = new HttpOutgoing(this, head);
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.deadline = Number.POSITIVE_INFINITY;
    this.isAwaited = head.headers.has('expect');
    this.isNew = true;
  }

  /** Hands over a new request, once everything that came with its head was read. */
  private handleNew(): void {
    if (!this.isNew || this.incoming === undefined || this.outgoing === undefined) return;
    this.isNew = false;
    this.owner.handle(this.incoming, this.outgoing);
  }

  body(bytes: Buffer): void {
    this.incoming?.put(bytes);
  }

  end(): void {
    this.incoming?.end();
  }

  wait(): void {
    this.isPaused = true;
    this.socket.pause();
  }

  goOn(): void {
    if (this.isPaused) this.socket.resume();
    this.isPaused = false;
    if (this.isAwaited) this.socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    this.isAwaited = false;
  }

  mayKeep(): boolean {
    return this.reader.state === 'over' && this.reader.isKept;
  }

  answered(isKept: boolean): void {
    if (this.socket.writableLength === 0) this.goOnAfter(isKept);
    // Called when the system has taken everything that was written before.
    else this.socket.write('', () => this.goOnAfter(isKept));
  }

  private goOnAfter(isKept: boolean): void {
    if (this.socket.destroyed) return;
    if (this.incoming !== undefined) this.owner.answered();
    this.incoming = undefined;
    this.outgoing = undefined;
    this.isAwaited = false;
    if (isKept) this.expectNext();
    else this.leave();
  }

  private expectNext(): void {
    const { waiting } = this;
    this.waiting = undefined;
    this.reader.next();
    this.deadline = performance.now() + KEEP_ALIVE_MS;
    if (waiting !== undefined) process.nextTick(() => this.take(waiting));
    this.goOn();
  }

  /**
   * Ends the connection from our side. Bytes that still come are read and dropped: with unread bytes the system resets the
   * connection, and the client may lose its answer.
   */
  private leave(): void {
    this.isClosing = true;
    this.waiting = undefined;
    this.deadline = performance.now() + LINGER_MS;
    this.goOn();
    this.socket.end();
  }

  /** Answers a request that cannot be read. Nothing can be read after it. */
  private refuse(error: ClientError): void {
    const { incoming, outgoing = new HttpOutgoing(this, UNREAD) } = this;
    if (outgoing.hasBegun()) this.socket.destroy();
    else {
      sendError(outgoing, error);
      incoming?.leaves();
    }
  }

  private takeClose(): void {
    const { incoming } = this;
    this.incoming = undefined;
    this.outgoing = undefined;
    this.waiting = undefined;
    this.owner.gone(this);
    if (incoming === undefined) return;
    this.owner.answered();
    incoming.leaves();
  }
}

/** Stands for the head of a request that could not be read. */
const UNREAD = { method: 'GET', isModern: true } as const;

function errorFor(error: unknown): ClientError {
  if (!(error instanceof HttpSyntaxError)) return asClientError(error);
  const { message, status } = error;
  return new ClientError(`The request is not valid HTTP: ${message}.`, { status, code: 'invalid_http' });
}
