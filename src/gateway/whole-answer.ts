import { ModelError } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';
import type { ModelEvent, ModelRequest } from '../base/model.ts';
import type { Frame } from '../base/wire.ts';
import type { HttpResponse } from '../model/http.ts';
import type { FinishedResponse } from '../wire/translator.ts';
import type { Outgoing } from './client-io.ts';
import { type ExchangeRecord, repairIds } from './exchange-record.ts';
import type { MendedFrames } from './mended-frames.ts';
import type { SentRequest } from './open-upstream.ts';
import { type AskedRequest, encodingFor } from './read-request.ts';
import { reportedFailure, upstreamError } from './upstream-error.ts';
import { withResponseId } from './with-response-id.ts';

export interface WholeAnswerOptions {
  readonly sent: SentRequest;
  readonly frames: MendedFrames;
  readonly asked: AskedRequest;
  readonly request: ModelRequest;
  readonly outgoing: Outgoing;
  readonly record: ExchangeRecord;
  readonly idleTimeoutMs: number;
  readonly timedOut: () => ModelError | undefined;
  /** Under which the client knows the response, where the server has another wire. */
  readonly responseId: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
}

/** Answers in one piece. Throws `ClientError` when there is no answer. Gives what a store may keep of it. */
export async function wholeAnswer(
  response: HttpResponse,
  options: WholeAnswerOptions,
): Promise<FinishedResponse | undefined> {
  const { asked, record, outgoing } = options;
  let read: ReadAnswer;
  try {
    read = await readAnswer(response, options);
    if (read.broken === undefined) response.release();
    else response.close();
  } catch (error) {
    response.close();
    throw error;
  }
  const body = passedBody(read, options) ?? encodedBody(read, options);
  const { edge } = asked.wire;
  record.usage = edge.readUsage(body.value);
  const bytes = body.bytes ?? Buffer.from(JSON.stringify(body.value));
  const repairs = repairIds(record);
  outgoing.head(200, {
    'content-type': 'application/json',
    'content-length': String(bytes.byteLength),
    ...(repairs !== '' && { 'x-oxbow-repairs': repairs }),
  });
  void outgoing.write(bytes);
  outgoing.end();
  return edge.stored?.finishedIn(body.value);
}

interface ReadAnswer {
  /** As it came; only where it is a body of the client's own wire in one piece. */
  readonly raw: Uint8Array | undefined;
  readonly mended: readonly Frame[];
  readonly broken: ModelError | undefined;
}

interface AnswerBody {
  readonly value: Readonly<Record<string, unknown>>;
  /** Where they are to go out as they came. */
  readonly bytes?: Uint8Array;
}

async function readAnswer(response: HttpResponse, options: WholeAnswerOptions): Promise<ReadAnswer> {
  const { sent, frames, asked, idleTimeoutMs, timedOut } = options;
  const isKept = asked.wire === sent.wire;
  const chunks: Uint8Array[] = [];
  const mended: Frame[] = [];
  const take = (frame: Frame) => void mended.push(frame);
  let broken: ModelError | undefined;
  let inPieces = false;
  for (;;) {
    let bytes: Uint8Array | null = null;
    try {
      bytes = await response.read(idleTimeoutMs);
    } catch (error) {
      broken = timedOut() ?? (error instanceof ModelError ? error : undefined);
      if (broken === undefined || broken.code === 'aborted') throw error;
    }
    if (bytes === null) break;
    if (isKept) chunks.push(bytes);
    const known = mended.length;
    frames.push(bytes, take);
    inPieces ||= mended.length > known;
    // Some servers keep the connection open after the last frame of a stream.
    if (mended.slice(known).some((frame) => sent.wire.edge.inspect(frame) === 'end')) break;
  }
  frames.end(take);
  return { raw: isKept && !inPieces && broken === undefined ? Buffer.concat(chunks) : undefined, mended, broken };
}

/** The body as the server wrote it, where nothing had to be mended. */
function passedBody({ raw }: ReadAnswer, { record, sent }: WholeAnswerOptions): AnswerBody | undefined {
  if (raw === undefined) return undefined;
  // F13 says that it was read as a stream, which nobody wanted.
  const others = record.repairs.filter(({ id }) => id !== 'F13');
  const isHealthy = record.repairs.length > 0 && others.length === 0;
  record.repairs.splice(0, record.repairs.length, ...others);
  if (!isHealthy) return undefined;
  const value: unknown = JSON.parse(new TextDecoder().decode(raw));
  if (!isRecord(value)) return undefined;
  const { restoreName } = sent.prepared;
  const restored = restoreName && sent.wire.edge.adapt?.renameAnswer(value, restoreName);
  return restored === undefined || restored === value ? { value, bytes: raw } : { value: restored };
}

function encodedBody({ mended, broken }: ReadAnswer, options: WholeAnswerOptions): AnswerBody {
  const { sent, asked, request, responseId, createdAt } = options;
  const decoder = sent.wire.decodeStream(request);
  const events: ModelEvent[] = [];
  for (const frame of mended) for (const event of decoder.push(frame)) events.push(event);
  for (const event of decoder.end()) events.push(event);
  const last = events.at(-1);
  if (last?.type === 'failed') {
    const isCut = last.code === 'stream_closed' && broken !== undefined;
    const message = sent.redact(last.message);
    throw upstreamError(isCut ? broken : reportedFailure({ code: last.code, message }));
  }
  const isSame = asked.wire === sent.wire;
  const known = isSame ? events : events.map((event) => withResponseId(event, responseId));
  const encoding = { ...encodingFor(asked, createdAt), includeUsage: true, ...(isSame && { sealReasoning: false }) };
  const value = asked.wire.encodeBody(known, encoding);
  return { value: isRecord(value) ? value : {} };
}
