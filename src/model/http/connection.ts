import type { Socket } from 'node:net';
import { unsentBytes } from '../../node-internals/unsent-bytes.ts';
import { abortedError, type HttpResponse, idleTimeoutError } from '../http.ts';
import { createIdleTimer, type IdleTimer } from '../idle-timer.ts';
import { createBodyBuffer } from './body-buffer.ts';
import { decodedResponse } from './decoded-response.ts';
import {
  countSent,
  finishExchange,
  forgetSignal,
  type HttpExchange,
  type HttpExchangeOptions,
  wakeReader,
} from './exchange.ts';
import { HttpSyntaxError } from './http-syntax-error.ts';
import { HttpMessageReader, type MessageParts } from './message-reader.ts';
import type { HeadReader, ReadHead } from './read-head.ts';

export interface WrittenRequest {
  readonly head: string;
  readonly pieces: readonly Uint8Array[];
  /** Size of all pieces together. */
  readonly size: number;
}

export interface ConnectionOwner {
  readonly readHead: HeadReader<ReadHead>;
  /** Called when the connection is free for the next exchange. */
  free(connection: Connection): void;
  /**
   * Called when the connection reads to the end of a response that is no longer wanted. It will soon be free or gone.
   */
  draining(connection: Connection): void;
  gone(connection: Connection): void;
}

const MAX_DRAIN_MS = 1000;
const MAX_DRAIN_BYTES = 256 * 1024;

/** A connection to a server, for one exchange after the other. */
export class Connection implements MessageParts<ReadHead> {
  /** When the last exchange ended, on the clock of `performance`. */
  freeSince = 0;
  private readonly socket: Socket;
  private readonly owner: ConnectionOwner;
  private readonly reader: HttpMessageReader<ReadHead>;
  /** One timer for all waits of all exchanges. */
  private readonly idle: IdleTimer = createIdleTimer();
  private current: HttpExchange | undefined;
  /** Whether an answer came after another one: the server does not end this connection together with an answer. */
  isProven = false;
  /** Whether an exchange has been answered over this connection. */
  private isUsed = false;
  /** Whether nothing has come since the last request. */
  private isSilent = true;
  /** The time until which the server promised to keep the connection. */
  private keptUntil = Number.POSITIVE_INFINITY;
  private drainTimer: NodeJS.Timeout | undefined;
  private fault: Error | undefined;

  /** The socket must be connected. */
  constructor(socket: Socket, owner: ConnectionOwner) {
    this.socket = socket;
    this.owner = owner;
    this.reader = new HttpMessageReader(this, owner.readHead);
    socket.on('data', (bytes: Buffer) => this.take(bytes));
    socket.on('end', () => this.takeEnd());
    socket.on('error', (error) => {
      this.fault = error;
    });
    socket.on('close', () => this.takeClose());
  }

  /** Reports whether the server is likely to accept another exchange over this connection. */
  isUsable(): boolean {
    return !this.socket.destroyed && performance.now() < this.keptUntil;
  }

  /** Ends the connection. An exchange that is under way fails with the reason. */
  close(reason?: Error): void {
    this.socket.destroy(reason);
  }

  /**
   * Sends a request and resolves with its response. `again` is called for the response if the server was just closing
   * the connection and, as far as can be known, has not seen the request.
   */
  exchange(
    request: WrittenRequest,
    options: HttpExchangeOptions,
    again: () => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const response = this.begin(request.size, options);
    const begun = this.current;
    if (begun) begun.again = again;
    write(this.socket, request, () => {
      if (begun?.state === 'asked') this.waitForHead(begun);
    });
    if (begun) this.waitForHead(begun);
    return response;
  }

  /** The functions made here live as long as the answer streams, so they must not refer to the request. */
  private begin(
    size: number,
    { idleTimeoutMs, signal, meter, unjoined = false }: HttpExchangeOptions,
  ): Promise<HttpResponse> {
    const socket = this.socket;
    return new Promise((answer, refuse) => {
      const begun: HttpExchange = {
        idleTimeoutMs,
        signal,
        meter,
        size,
        buffer: createBodyBuffer(socket, unjoined),
        answer,
        refuse,
        again: undefined,
        onAbort: () => this.giveUp(begun, abortedError()),
        state: 'asked',
        drainable: MAX_DRAIN_BYTES,
        fault: undefined,
        reading: undefined,
      };
      this.current = begun;
      this.isSilent = true;
      this.reader.isJoining = !unjoined;
      this.reader.next();
      signal.addEventListener('abort', begun.onAbort);
      if (this.isUsed) socket.ref();
    });
  }

  /** Waits for the head of the response. A long request that is still being sent does not count as silence. */
  private waitForHead(begun: HttpExchange): void {
    const unsent = unsentBytes(this.socket);
    this.idle.start(begun.idleTimeoutMs, () => {
      if (begun.state !== 'asked') return;
      const left = unsentBytes(this.socket);
      if (left > 0 && left !== unsent) this.waitForHead(begun);
      else this.giveUp(begun, idleTimeoutError());
    });
  }

  /** Ends an exchange from our side. */
  private giveUp(begun: HttpExchange, error: Error): void {
    if (begun.state === 'asked') {
      if (this.socket.writableLength === 0) countSent(begun);
      begun.refuse(error);
    }
    finishExchange(begun, 'broken');
    if (begun === this.current) this.socket.destroy();
  }

  head(head: ReadHead): void {
    const begun = this.current;
    this.keptUntil = performance.now() + head.keptMs;
    if (begun === undefined) return;
    countSent(begun);
    begun.state = 'answered';
    begun.again = undefined;
    this.isProven = this.isUsed;
    this.isUsed = true;
    const response = this.responseOf(begun, head);
    begun.answer(head.headers['content-encoding'] === undefined ? response : decodedResponse(response));
  }

  body(bytes: Uint8Array): void {
    const begun = this.current;
    if (begun?.state !== 'left') {
      begun?.buffer.put(bytes);
      return;
    }
    begun.drainable -= bytes.byteLength;
    if (begun.drainable < 0) this.socket.destroy();
  }

  end(isKept: boolean): void {
    const socket = this.socket;
    const ended = this.current;
    this.current = undefined;
    clearTimeout(this.drainTimer);
    if (ended === undefined) return;
    finishExchange(ended, 'over');
    // A server that answers before it has read the whole request may never read the rest.
    if (!isKept || socket.writableLength > 0 || socket.destroyed) {
      socket.destroy();
      return;
    }
    socket.unref();
    this.freeSince = performance.now();
    this.owner.free(this);
  }

  private responseOf(begun: HttpExchange, { status, headers }: ReadHead): HttpResponse {
    const onIdle = () => {
      const { reading } = begun;
      begun.reading = undefined;
      reading?.reject(idleTimeoutError());
    };
    return {
      status,
      headers,
      read: (idleTimeoutMs) =>
        new Promise((resolve, reject) => {
          begun.reading = { resolve, reject };
          wakeReader(begun);
          if (begun.reading !== undefined) this.idle.start(idleTimeoutMs, onIdle);
        }),
      release: () => this.leave(begun),
      close: () => {
        forgetSignal(begun);
        if (begun === this.current) this.socket.destroy();
      },
    };
  }

  private leave(begun: HttpExchange): void {
    const socket = this.socket;
    forgetSignal(begun);
    if (begun !== this.current) return;
    begun.state = 'left';
    begun.buffer.drop();
    if (socket.writableLength > 0) {
      socket.destroy();
      return;
    }
    // The process may end meanwhile.
    socket.unref();
    this.drainTimer = setTimeout(() => socket.destroy(), MAX_DRAIN_MS).unref();
    this.owner.draining(this);
  }

  private take(bytes: Buffer): void {
    const begun = this.current;
    this.isSilent = false;
    try {
      if (this.reader.push(bytes) !== undefined) throw new HttpSyntaxError('the server says more than it was asked');
    } catch (error) {
      this.socket.destroy(error as Error);
      return;
    }
    if (begun !== undefined) wakeReader(begun);
  }

  private takeEnd(): void {
    try {
      this.reader.close();
    } catch {
      // The missing part is reported when the connection closes.
    }
    this.socket.destroy();
  }

  private takeClose(): void {
    const fault = this.fault;
    const broken = this.current;
    this.current = undefined;
    clearTimeout(this.drainTimer);
    this.idle.stop();
    this.owner.gone(this);
    if (broken === undefined) return;
    broken.fault = isReset(fault) ? undefined : fault;
    if (broken.state === 'asked') this.refuse(broken, fault);
    finishExchange(broken, 'broken');
  }

  private refuse(broken: HttpExchange, fault: Error | undefined): void {
    if (this.isUsed && this.isSilent && isReset(fault) && broken.again) broken.answer(broken.again());
    else {
      if (this.socket.writableLength === 0) countSent(broken);
      broken.refuse(fault ?? hangUp());
    }
  }
}

function isReset(fault: (Error & { readonly code?: string }) | undefined): boolean {
  return fault === undefined || fault.code === 'ECONNRESET' || fault.code === 'EPIPE';
}

/** Returns the error that Node's client has for a closed connection. */
export function hangUp(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}

/** Up to this size a request is written together with its head: two writes would be two packets. */
const MAX_JOINED_BYTES = 64 * 1024;

/** Writes a request. `onSent` is called when the system has taken a long one. */
function write(socket: Socket, { head, pieces, size }: WrittenRequest, onSent: () => void): void {
  if (size <= MAX_JOINED_BYTES) {
    const bytes = Buffer.allocUnsafe(head.length + size);
    let end = bytes.write(head, 'latin1');
    for (const piece of pieces) {
      bytes.set(piece, end);
      end += piece.byteLength;
    }
    socket.write(bytes);
    return;
  }
  socket.cork();
  socket.write(head, 'latin1');
  pieces.forEach((piece, n) => void socket.write(piece, n === pieces.length - 1 ? onSent : undefined));
  socket.uncork();
}
