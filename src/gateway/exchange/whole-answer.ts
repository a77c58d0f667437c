import { ModelError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ModelEvent, ModelRequest } from '../../base/model.ts';
import type { Frame } from '../../base/wire.ts';
import type { SentExchange } from '../../model/exchange/open-exchange.ts';
import { readToEnd } from '../../model/exchange/read-to-end.ts';
import type { RepairedFrames } from '../../model/exchange/repaired-frames.ts';
import type { HttpResponse } from '../../model/http.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import { parsedJson } from '../../wire/lowering/parsed-json.ts';
import type { GatewayExchange } from './exchange.ts';
import { repairIds } from './exchange-record.ts';
import type { KeepResponse } from './keep-response.ts';
import { type ClientRequest, encodingFor } from './read-request.ts';
import { reportedFailure, upstreamError } from './upstream-error.ts';
import { withResponseId } from './with-response-id.ts';

export interface WholeAnswerOptions {
  readonly asked: ClientRequest;
  readonly request: ModelRequest;
  readonly sent: SentExchange<Wire>;
  readonly frames: RepairedFrames;
  readonly idleTimeoutMs: number;
  /** The id for a response whose server speaks another wire. */
  readonly responseId: string;
  /** Name of the model that the client asked for, if the server knows it by another name. */
  readonly renamedModel: string | undefined;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly keep: KeepResponse | undefined;
}

/** Answers in one piece. Throws `ClientError` when there is no answer. */
export async function wholeAnswer(
  exchange: GatewayExchange,
  response: HttpResponse,
  options: WholeAnswerOptions,
): Promise<void> {
  const { wire, record, outgoing } = exchange;
  let read: ReadAnswer;
  try {
    read = await readAnswer(exchange, response, options);
    if (read.broken === undefined && !read.isGivenUp) response.release();
    else response.close();
  } catch (error) {
    response.close();
    throw error;
  }
  const body = named(passedBody(read, exchange, options) ?? repairedBody(read, options), exchange, options);
  record.usage = wire.edge.readUsage(body.value);
  await options.keep?.(wire.edge.stored?.finishedIn(body.value));
  const bytes = body.bytes ?? Buffer.from(JSON.stringify(body.value));
  const repairs = repairIds(record);
  outgoing.head(200, {
    'content-type': 'application/json',
    'content-length': String(bytes.byteLength),
    ...(repairs !== '' && { 'x-oxbow-repairs': repairs }),
  });
  void outgoing.write(bytes);
  outgoing.end();
}

interface ReadAnswer {
  /** The bytes as they came, where they are a body in one piece on the client's own wire. */
  readonly raw: Uint8Array | undefined;
  readonly repaired: readonly Frame[];
  /** Whether the answer was given up, so that more of it may come. */
  readonly isGivenUp: boolean;
  readonly broken: ModelError | undefined;
}

interface AnswerBody {
  readonly value: Readonly<Record<string, unknown>>;
  /** The bytes to send, where the body is sent as it came. */
  readonly bytes?: Uint8Array;
}

async function readAnswer(
  { limit }: GatewayExchange,
  response: HttpResponse,
  options: WholeAnswerOptions,
): Promise<ReadAnswer> {
  const { sent, frames, asked, idleTimeoutMs } = options;
  const isKept = asked.wire === sent.wire;
  const chunks: Uint8Array[] = [];
  const repaired: Frame[] = [];
  const take = (frame: Frame) => void repaired.push(frame);
  let broken: ModelError | undefined;
  let inPieces = false;
  let size = 0;
  const read = readToEnd(response, frames);
  for (;;) {
    let bytes: Uint8Array | null = null;
    try {
      bytes = await read(idleTimeoutMs);
    } catch (error) {
      broken = limit.expired() ?? (error instanceof ModelError ? error : undefined);
      if (broken === undefined || broken.code === 'aborted') throw error;
    }
    if (bytes === null) break;
    if (isKept) chunks.push(bytes);
    const known = repaired.length;
    frames.push(bytes, take);
    inPieces ||= repaired.length > 1;
    // Some servers keep the connection open after the last frame of a stream.
    if (frames.isGivenUp() || repaired.slice(known).some((frame) => sent.wire.edge.inspect(frame) === 'end')) break;
    size += bytes.byteLength;
    if (size > MAX_BODY_BYTES) throw upstreamError(TOO_LARGE);
  }
  frames.end(take);
  const isGivenUp = frames.isGivenUp();
  const isRaw = isKept && !inPieces && !isGivenUp && broken === undefined;
  return { raw: isRaw ? Buffer.concat(chunks) : undefined, repaired, isGivenUp, broken };
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;
const TOO_LARGE = new ModelError(
  'invalid_response',
  'The answer of the server is larger than 64 MiB. Ask for a shorter answer.',
);

/** Returns the body as the server wrote it, where nothing had to be repaired. */
function passedBody(
  { raw, repaired }: ReadAnswer,
  { record }: GatewayExchange,
  { sent }: WholeAnswerOptions,
): AnswerBody | undefined {
  if (raw === undefined) return undefined;
  const [only] = repaired;
  // On some wires a whole body is the last frame of a stream.
  const isLast = only !== undefined && sent.wire.edge.inspect(only) === 'end';
  // F13 reports that a whole body came where a stream was expected. Here a whole body was requested.
  const others = record.repairs.filter(({ id }) => id !== 'F13');
  const isHealthy = (record.repairs.length > 0 || isLast) && others.length === 0;
  record.repairs.splice(0, record.repairs.length, ...others);
  if (!isHealthy) return undefined;
  const value = parsedJson(new TextDecoder().decode(raw));
  if (!isRecord(value)) return undefined;
  const restored = sent.renamed?.restore({ data: '', json: value }).json;
  return isRecord(restored) && restored !== value ? { value: restored } : { value, bytes: raw };
}

/** Returns the body with the name of the model that the client asked for. */
function named(body: AnswerBody, { wire }: GatewayExchange, { renamedModel }: WholeAnswerOptions): AnswerBody {
  const value = renamedModel === undefined ? undefined : wire.edge.withModel?.(body.value, renamedModel);
  return value === undefined || value === body.value ? body : { value };
}

function repairedBody({ raw, repaired, broken }: ReadAnswer, options: WholeAnswerOptions): AnswerBody {
  const { sent, asked, request, responseId, createdAt } = options;
  const decoder = sent.wire.decodeStream(request);
  const events: ModelEvent[] = [];
  for (const frame of repaired) for (const event of decoder.push(frame)) events.push(event);
  for (const event of decoder.end()) events.push(event);
  const last = events.at(-1);
  if (last?.type === 'failed') {
    const isCut = last.code === 'stream_closed' && broken !== undefined;
    const message = sent.redact(last.message);
    throw upstreamError(isCut ? broken : reportedFailure({ code: last.code, message }));
  }
  const isSame = asked.wire === sent.wire;
  const answer = raw === undefined ? undefined : parsedJson(new TextDecoder().decode(raw));
  const edited = isRecord(answer) ? asked.wire.edge.repairedBody?.(answer, repaired) : undefined;
  if (edited !== undefined) return { value: edited };
  const known = isSame ? events : events.map((event) => withResponseId(event, responseId));
  const encoding = { ...encodingFor(asked, createdAt), includeUsage: true, ...(isSame && { sealReasoning: false }) };
  const value = asked.wire.encodeBody(known, encoding);
  return { value: isRecord(value) ? value : {} };
}
