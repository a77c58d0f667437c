import { ModelError } from '../../base/errors.ts';
import type { Frame } from '../../base/wire.ts';
import { readToEnd } from '../../model/exchange/read-to-end.ts';
import type { RepairedFrames } from '../../model/exchange/repaired-frames.ts';
import type { HttpResponse } from '../../model/http.ts';
import type { Translator } from '../../wire/edge/translator.ts';
import type { GatewayExchange } from './exchange.ts';
import { noteError, REPAIRS, repairIds } from './exchange-record.ts';
import type { KeepResponse } from './keep-response.ts';
import { upstreamError } from './upstream-error.ts';

export interface StreamAnswerOptions {
  readonly frames: RepairedFrames;
  readonly translator: Translator;
  readonly idleTimeoutMs: number;
  /** Size of what is kept for all clients that are slow to read. */
  readonly maxAnswersBytes: number;
  readonly keep: KeepResponse | undefined;
}

/** The parts of an exchange that an answer needs. */
export type AnsweredExchange = Pick<GatewayExchange, 'wire' | 'outgoing' | 'record' | 'limit'> & {
  readonly parts: Pick<GatewayExchange['parts'], 'isQuiet' | 'answerRoom'>;
};

/**
 * Streams a server's answer to the client. The head is sent with the first frame that has content. A failure before
 * that frame is thrown as `ClientError`, so that it becomes a status. A later failure is reported inside the stream.
 */
export async function streamAnswer(
  exchange: AnsweredExchange,
  response: HttpResponse,
  options: StreamAnswerOptions,
): Promise<void> {
  const { outgoing, record, limit } = exchange;
  const { translator, idleTimeoutMs, maxAnswersBytes, keep } = options;
  const { answerRoom } = exchange.parts;
  const { framing } = exchange.wire;
  const writer = openWriter(exchange);
  const read = readToEnd(response, options.frames);
  let over = false;
  try {
    while (!over) {
      let bytes: Uint8Array | ModelError | null;
      try {
        bytes = await read(idleTimeoutMs);
      } catch (error) {
        bytes = brokenBy(error, limit.expired());
      }
      // No variable holds the frames while a slow client reads: the last ones have the whole text several times.
      const text = framing.write(batchOf(bytes, writer, exchange, options));
      record.usage = translator.usage;
      if (translator.failure !== undefined) {
        const error = upstreamError(translator.failure);
        if (!record.spoke && !translator.spoke) throw error;
        noteError(record, error);
      }
      over = translator.over;
      if (over && keep !== undefined) await keep(translator.finished);
      const full = writer.write(text, translator.spoke || over);
      if (!over) outgoing.flush();
      if (full === undefined) continue;
      await answerRoom.wait(limit.orAborted(full), (translator.kept ?? 0) + text.length, maxAnswersBytes);
      // A client that does not read cannot be sent an error either.
      const late = limit.expired();
      if (late !== undefined) throw upstreamError(late);
    }
    writer.end();
  } finally {
    if (over && translator.failure === undefined) response.release();
    else response.close();
  }
}

/**
 * Returns the frames for the client that one read of the server results in, and at the end of the connection all that
 * are left. The first words are sent at once, because the client waits for them, unless many exchanges are under way:
 * then a write less helps all of them more.
 */
function batchOf(
  bytes: Uint8Array | ModelError | null,
  writer: Writer,
  { wire: { framing }, limit, record, parts: { isQuiet } }: AnsweredExchange,
  { frames, translator }: StreamAnswerOptions,
): Frame[] {
  const batch: Frame[] = [];
  let broken = bytes instanceof ModelError ? bytes : undefined;
  try {
    const take = (frame: Frame): void => {
      translator.push(frame, batch, broken);
      if (record.spoke || !translator.spoke || translator.over || !isQuiet()) return;
      writer.begin(framing.write(batch.splice(0)));
    };
    if (bytes === null || bytes instanceof ModelError) frames.end(take);
    else frames.push(bytes, take);
  } catch (error) {
    broken = brokenBy(error, limit.expired());
  }
  if (bytes === null || broken !== undefined) translator.end(batch, broken);
  else translator.settle(batch);
  return batch;
}

/**
 * Returns the failure of a broken connection, which is reported to the client. Throws the error where the client has
 * left.
 */
function brokenBy(error: unknown, timedOut: ModelError | undefined): ModelError {
  if (timedOut !== undefined) return timedOut;
  if (error instanceof ModelError && error.code !== 'aborted') return error;
  throw error;
}

interface Writer {
  /** Sends the first words at once. */
  begin(text: string): void;
  /** Writes text. Before the first content, when the answer may still become an error status, text is held back. */
  write(text: string, isFinal: boolean): Promise<void> | undefined;
  end(): void;
}

function openWriter({ wire: { framing }, outgoing, record }: AnsweredExchange): Writer {
  let held = '';
  const writer: Writer = {
    begin(text) {
      void writer.write(text, true);
      outgoing.flush();
    },
    write(text, isFinal) {
      held += text;
      if (!record.spoke && !isFinal) return undefined;
      const all = held;
      held = '';
      record.spoke = true;
      outgoing.beginStream(framing);
      return all === '' ? undefined : outgoing.write(all);
    },
    end: () => outgoing.end(outgoing.trailers ? { [REPAIRS]: repairIds(record) } : undefined),
  };
  return writer;
}
