import { messageOf } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import {
  CASSETTE_VERSION,
  type CassetteHeaders,
  type CassetteLine,
  END_ERRORS,
  type ExchangeRequest,
  type RecordedChunk,
} from '../cassette/cassette.ts';
import { chunkLine, encodeLine } from '../cassette/encode-line.ts';
import { createChunkRedactor } from '../cassette/redact-chunks.ts';
import { redactHeaders, redactRequest, secretsIn } from '../cassette/redact-request.ts';
import { createRequestLines } from '../cassette/request-lines.ts';
import { createSecretFinder, type SecretFinder } from '../cassette/secret-finder.ts';
import type { ExchangeTap, ResponseHead, SentRequest, TappedExchange } from './exchange-tap.ts';
import { bodyPieces } from './http.ts';

export interface RecorderOptions {
  /** Accepts a line with its line break. Called synchronously, and never with a line that contains a secret. */
  write(line: string): void;
  /** Values that must not occur in the cassette. The credentials of requests are known without this. */
  readonly secrets: Iterable<string>;
  readonly world: Pick<World, 'now'>;
  /** Called once, when a line could not be written. Recording stops then, and requests go on. */
  readonly onFault?: (message: string) => void;
}

/** A tap that writes a cassette. */
export interface ExchangeRecorder extends ExchangeTap {
  /** Ends open exchanges, as interrupted. The body of a response is not written before its end. */
  close(): void;
}

/**
 * Begins a cassette: writes its first line and returns the tap for `createModel`. Several models may share one
 * recorder.
 */
export function createExchangeRecorder(options: RecorderOptions): ExchangeRecorder {
  const { world } = options;
  const write = guardedWrite(options);
  const secrets = new Set(options.secrets);
  const open = new Set<TappedExchange>();
  const requestLines = createRequestLines();
  let count = 0;
  write({ cassette: CASSETTE_VERSION, recorded_at: new Date(world.now()).toISOString(), oxbow: OXBOW_VERSION });
  return {
    request(sent) {
      const request = toRequest(sent);
      for (const secret of [...options.secrets, ...secretsIn(request)]) secrets.add(secret);
      const n = ++count;
      const finder = createSecretFinder(secrets);
      for (const line of requestLines(n, redactRequest(request, finder))) write(line);
      const exchange = recordResponse({ n, write, finder, world, onEnd: () => open.delete(exchange) });
      open.add(exchange);
      return exchange;
    },
    close() {
      for (const exchange of open) exchange.end(END_ERRORS.interrupted);
    },
  };
}

type Write = (line: CassetteLine) => void;

/** Returns a function that writes lines until one fails: a full disk ends the recording, not the turn. */
function guardedWrite({ write, onFault }: RecorderOptions): Write {
  let broken = false;
  return (line) => {
    if (broken) return;
    try {
      write(encodeLine(line));
    } catch (error) {
      broken = true;
      onFault?.(`The recording stops here, because its file could not be written: ${messageOf(error)}`);
    }
  };
}

function toRequest({ method, url, headers, body }: SentRequest): ExchangeRequest {
  const text = Buffer.concat(bodyPieces(body)).toString();
  try {
    return { method, url, headers, body: JSON.parse(text) as unknown };
  } catch {
    return { method, url, headers, body: text };
  }
}

interface ResponseOptions {
  readonly n: number;
  readonly write: Write;
  readonly finder: SecretFinder;
  readonly world: Pick<World, 'now'>;
  onEnd(): void;
}

function recordResponse({ n, write, finder, world, onEnd }: ResponseOptions): TappedExchange {
  const start = world.now();
  const redactor = createChunkRedactor(finder);
  const elapsed = () => Math.max(0, Math.round(world.now() - start));
  const writeChunks = (chunks: readonly RecordedChunk[]) => {
    for (const chunk of chunks) write(chunkLine(n, chunk));
  };
  let over = false;
  return {
    response({ status, headers }) {
      if (!over) write({ type: 'response', n, status, headers: redactHeaders(presentHeaders(headers), finder) });
    },
    chunk(bytes) {
      if (!over) writeChunks(redactor.push({ ms: elapsed(), bytes }));
    },
    end(error) {
      if (over) return;
      over = true;
      writeChunks(redactor.end());
      write({ type: 'end', n, ms: elapsed(), ...(error === undefined ? {} : { error: finder.redact(error) }) });
      onEnd();
    },
  };
}

function presentHeaders(headers: ResponseHead['headers']): CassetteHeaders {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
