import { setTimeout as delay } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/client';
import type { PipedProcess } from '../../base/environment.ts';
import { createIntake } from './message-intake.ts';
import { splitLines } from './message-lines.ts';
import { MOST_MESSAGE_BYTES } from './most-message-bytes.ts';

/** Characters of the error output that are kept. */
const KEPT_ERRORS = 4096;

/** Time that a server has to end by itself after its input was closed. */
const END_WAIT_MS = 500;

/** A transport over the standard streams of a process. The SDK takes it for one of stdio by its `pid` and `stderr`. */
export interface StdioTransport extends Transport {
  readonly pid: number;
  readonly stderr: null;
  /** Returns the last words of the error output. */
  lastWords(): string;
  /** Exit code of a process that ended by itself. */
  exitCode(): number | undefined;
}

export interface StdioTransportOptions {
  readonly server: string;
  readonly process: PipedProcess;
  /** Receives the first line of the output that is not a message. */
  onNoise(line: string): void;
}

/** Returns a transport that ends with the process, and ends the process and everything that it started. */
export function createStdioTransport({ server, process, onNoise }: StdioTransportOptions): StdioTransport {
  const intake = createIntake({ server, onNoise, onMessage: (message) => transport.onmessage?.(message) });
  let errors = '';
  let code: number | undefined;
  let ending: Promise<void> | undefined;
  const end = async () => {
    process.endInput();
    await Promise.race([process.ended, delay(END_WAIT_MS, undefined, { ref: false })]);
    await process.kill();
    transport.onclose?.();
  };
  const endOnce = async () => {
    ending ??= end();
    await ending;
  };
  let isClosed = false;
  const close = async () => {
    if (ending === undefined) isClosed = true;
    await endOnce();
  };
  const transport: StdioTransport = {
    pid: process.pid,
    stderr: null,
    lastWords: () => errors.trim(),
    exitCode: () => code,
    async start() {
      void process.ended.then((ended) => {
        if (!isClosed) code = ended;
      });
      void eachChunk(process.errors, (bytes) => {
        errors = (errors + Buffer.from(bytes).toString()).slice(-KEPT_ERRORS);
      });
      void eachChunk(process.output, splitLines(MOST_MESSAGE_BYTES, intake)).then(endOnce);
    },
    async send(message) {
      intake.expect(message);
      await process.write(`${JSON.stringify(message)}\n`);
    },
    close,
  };
  return transport;
}

/** Calls a function with each chunk of a stream, until the stream ends or breaks. */
async function eachChunk(stream: AsyncIterable<Uint8Array>, see: (bytes: Uint8Array) => void): Promise<void> {
  try {
    for await (const bytes of stream) see(bytes);
  } catch {
    // A stream that breaks has ended, and its end is reported by the process.
  }
}
