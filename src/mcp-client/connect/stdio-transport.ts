import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { PipedProcess } from '../../base/environment.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import { tooLargeFault } from './bounded-fetch.ts';
import { faultAnswer } from './fault-answer.ts';
import { splitLines } from './message-lines.ts';
import { MOST_MESSAGE_BYTES } from './most-message-bytes.ts';
import { idIn, readMessages } from './read-messages.ts';

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
  /** Exit code of the process, after its end. */
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
  const asked = new Set<number>();
  let errors = '';
  let code: number | undefined;
  let isNoisy = false;
  let isClosed = false;
  const noise = (line: string) => {
    if (!isNoisy) onNoise(line);
    isNoisy = true;
  };
  const deliver = (message: JSONRPCMessage) => {
    if ('method' in message) transport.onmessage?.(message);
    else {
      asked.delete(Number(message.id));
      // The SDK handles notifications in a microtask. An answer must not pass the progress before it.
      queueMicrotask(() => transport.onmessage?.(message));
    }
  };
  const fail = (id: number, fault: McpFault) => {
    if (asked.has(id)) deliver(faultAnswer(id, fault));
  };
  const line = (text: string) => {
    for (const part of readMessages(text)) {
      if (part.kind === 'message') deliver(part.message);
      else if (part.kind === 'noise') noise(text);
      else fail(part.id, new McpFault('invalid', `The MCP server "${server}" sent an answer that is not JSON-RPC.`));
    }
  };
  const tooLong = (head: string, tail: string) => {
    const id = idIn(head, tail);
    for (const one of id === undefined ? [...asked] : [id]) fail(one, tooLargeFault(server));
  };
  const end = async () => {
    if (isClosed) return;
    isClosed = true;
    process.endInput();
    await Promise.race([process.ended, delay(END_WAIT_MS, undefined, { ref: false })]);
    await process.kill();
    transport.onclose?.();
  };
  const transport: StdioTransport = {
    pid: process.pid,
    stderr: null,
    lastWords: () => errors.trim(),
    exitCode: () => code,
    async start() {
      void process.ended.then((ended) => {
        code = ended;
      });
      void eachChunk(process.errors, (bytes) => {
        errors = (errors + Buffer.from(bytes).toString()).slice(-KEPT_ERRORS);
      });
      void eachChunk(process.output, splitLines(MOST_MESSAGE_BYTES, { line, tooLong })).then(end);
    },
    async send(message) {
      if ('method' in message && 'id' in message && typeof message.id === 'number') asked.add(message.id);
      await process.write(`${JSON.stringify(message)}\n`);
    },
    close: end,
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
