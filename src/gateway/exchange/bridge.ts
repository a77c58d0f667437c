import type { ModelError } from '../../base/errors.ts';
import type { ModelEvent, ModelRequest } from '../../base/model.ts';
import type { Usage } from '../../base/usage.ts';
import type { EncodeStreamOptions, Frame, StreamDecoder, StreamEncoder } from '../../base/wire.ts';
import type { FrameKind } from '../../wire/edge/edge-wire.ts';
import type { FinishedResponse, Translator } from '../../wire/edge/translator.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import type { RunningFrame } from '../../wire/framing/text-runs.ts';
import { joinDeltas } from './join-deltas.ts';
import { orderItems } from './order-items.ts';
import { reportedFailure, upstreamError } from './upstream-error.ts';
import { withResponseId } from './with-response-id.ts';

export interface BridgeOptions {
  readonly server: Wire;
  readonly client: Wire;
  /** The request that the response answers. */
  readonly request: ModelRequest;
  readonly encoding: EncodeStreamOptions;
  /** The id under which the client knows the response. */
  readonly responseId: string;
  readonly redact: (text: string) => string;
  /** Whether the response is to be stored. */
  readonly store: boolean;
}

/** Returns a translator from the wire of the server to another wire of the client. */
export function createBridge(options: BridgeOptions): Translator {
  const { server, client, responseId, redact, store } = options;
  // Both hold the whole text. They are dropped at the end of the response, which a slow client may read for long.
  let decoder = server.decodeStream(options.request);
  let encoder = client.encodeStream(options.encoding);
  let isEnding = false;
  // Every response begins with the same frames, so they are encoded while the server is still thinking.
  let opening: readonly Frame[] = encoder.push({ type: 'created', responseId });
  const [joiner, order] = [joinDeltas(), orderItems()];

  const take = (events: readonly ModelEvent[], out: Frame[], broken?: ModelError): void => {
    for (const event of order(events)) for (const ready of joiner.push(event)) tell(ready, out, broken);
  };

  const tell = (event: ModelEvent, out: Frame[], broken?: ModelError): void => {
    if (response.over) return;
    for (const frame of opening) out.push(frame);
    opening = NOTHING;
    if (event.type === 'created') return;
    const next = event.type === 'failed' ? failed(event, broken) : withResponseId(event, responseId);
    if ('delta' in event) response.kept += COPIES * event.delta.length;
    const frames = encoder.push(next);
    for (const frame of frames) out.push(frame);
    if (event.type === 'completed' || event.type === 'incomplete') {
      response.usage = event.usage;
      if (store) response.finished = client.edge.stored?.finishedBy(frames);
    }
    response.over = ENDS.has(event.type);
    if (response.over) [decoder, encoder, response.kept] = [SILENT, SILENT, 0];
    response.spoke ||= event.type !== 'failed';
  };

  const failed = (event: FailedEvent, broken?: ModelError): ModelEvent => {
    response.failure = failureOf(event, redact, broken);
    const { code, message } = upstreamError(response.failure);
    return { type: 'failed', code, message };
  };

  const response: OpenResponse = {
    spoke: false,
    over: false,
    failure: undefined,
    usage: null,
    kept: 0,
    finished: undefined,
    push(frame: RunningFrame, out, broken) {
      if (frame.text === undefined) isEnding ||= endsResponse(server.edge.inspect(frame));
      take(decoder.push(frame), out, broken);
    },
    settle(out) {
      // After a failure the decoder would wait for the end of the connection, which some servers keep open.
      if (isEnding) take(decoder.end(), out);
      for (const event of joiner.settle()) tell(event, out);
    },
    end(out, broken) {
      take(decoder.end(), out, broken);
    },
  };
  return response;
}

type FailedEvent = Extract<ModelEvent, { type: 'failed' }>;

function failureOf({ code, message }: FailedEvent, redact: (text: string) => string, broken?: ModelError): ModelError {
  if (code === 'stream_closed' && broken !== undefined) return broken;
  return reportedFailure({ code, message: redact(message) });
}

const NOTHING: readonly never[] = [];

/** Copies of a text in decoder, repairs and encoder, as measured. */
const COPIES = 2;

/** Has no events and no frames: the response is over. */
const SILENT: StreamDecoder & StreamEncoder = { push: () => NOTHING, end: () => NOTHING };

interface OpenResponse extends Translator {
  spoke: boolean;
  over: boolean;
  failure: ModelError | undefined;
  usage: Usage | null;
  kept: number;
  finished: FinishedResponse | undefined;
}

const ENDS: ReadonlySet<ModelEvent['type']> = new Set(['completed', 'incomplete', 'failed']);

function endsResponse(kind: FrameKind): boolean {
  return kind === 'failure' || kind === 'end';
}
