import type { EndSignal } from '../../../model/end-signal.ts';
import { type BodyCollector, createBodyCollector } from '../body-collector.ts';
import type { Incoming } from '../client-io.ts';
import { splitTarget } from '../split-target.ts';
import type { RequestHead } from './request-head.ts';

/** The connection that a request comes from. */
export interface AskingConnection {
  /** Stops reading until `goOn`. */
  wait(): void;
  /** Reads on, and tells a client that waits for it that its body is wanted. */
  goOn(): void;
}

/** Size of a body that is read before it is asked for. */
const MAX_WAITING_BYTES = 64 * 1024;

/** One request. Its connection puts in the body. */
export class HttpIncoming implements Incoming {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  left = false;
  /** Whether the body has come to its end. */
  isWhole = false;
  private readonly connection: AskingConnection;
  private readonly headers: RequestHead['headers'];
  private readonly length: number;
  /** Pieces that came before they were asked for. Undefined once they were, or are no longer wanted. */
  private early: Buffer[] | undefined = [];
  private size = 0;
  private reading: Reading | undefined;
  private leave = () => {};

  constructor(connection: AskingConnection, { method, target, headers, framing }: RequestHead) {
    const { path, query } = splitTarget(target);
    this.method = method;
    this.path = path;
    this.query = query;
    this.connection = connection;
    this.headers = headers;
    this.length = typeof framing === 'number' ? framing : Number.NaN;
  }

  header(name: string): string | undefined {
    return this.headers.get(name);
  }

  onLeft(listener: () => void): void {
    this.leave = listener;
  }

  /** Called when the client has left before the end of its answer. */
  leaves(): void {
    this.left = true;
    this.leave();
  }

  put(piece: Buffer): void {
    const { reading, early } = this;
    this.size += piece.byteLength;
    if (reading === undefined) {
      early?.push(piece);
      if (early !== undefined && this.size > MAX_WAITING_BYTES) this.connection.wait();
    } else if (this.size > reading.maxBytes) this.settle(undefined);
    else reading.body.add(piece);
  }

  end(): void {
    this.isWhole = true;
    if (this.reading !== undefined) this.settle(this.reading.body.whole());
  }

  readBody(maxBytes: number, signal: EndSignal): ReturnType<Incoming['readBody']> {
    const early = this.early ?? [];
    // The request lives as long as its answer streams, and must not keep its body.
    this.early = undefined;
    if (this.length > maxBytes || this.size > maxBytes) return undefined;
    if (this.isWhole && early.length === 1) return early[0];
    const body = createBodyCollector(this.length);
    for (const piece of early) body.add(piece);
    if (this.isWhole) return body.whole();
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.reading = undefined;
        reject(new Error('The exchange was over before its request was read.'));
      };
      const done = () => signal.removeEventListener('abort', onAbort);
      this.reading = { maxBytes, body, resolve, done };
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
      else this.connection.goOn();
    });
  }

  private settle(body: Uint8Array | undefined): void {
    const { reading } = this;
    this.reading = undefined;
    reading?.done();
    reading?.resolve(body);
  }
}

interface Reading {
  readonly maxBytes: number;
  readonly body: BodyCollector;
  readonly resolve: (body: Uint8Array | undefined) => void;
  readonly done: () => void;
}
