import type { ModelError } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';
import type { ModelEvent } from '../base/model.ts';
import type { Usage } from '../base/usage.ts';
import type { Frame, StreamDecoder, StreamEncoder } from '../base/wire.ts';
import { frameValue } from '../wire/frames.ts';
import { joinDeltas } from './join-deltas.ts';
import { outcomeOf } from './outcome-of.ts';
import { withResponseId } from './response-id.ts';
import type { Outcome, Translator } from './translator.ts';
import { reportedFailure, upstreamError } from './upstream-error.ts';

export interface OtherWireOptions {
  readonly decoder: StreamDecoder;
  readonly encoder: StreamEncoder;
  /** Under which the client knows the response. */
  readonly responseId: string;
  readonly redact: (text: string) => string;
  /** Whether the response is to be kept. */
  readonly store: boolean;
}

/** Says in a client's words what a server of another wire says. */
export function otherWire({ decoder, encoder, responseId, redact, store }: OtherWireOptions): Translator {
  let isFailing = false;
  // Every response begins in the same words: they are found while the server thinks.
  let opening: readonly Frame[] = encoder.push({ type: 'created', responseId });
  const joiner = joinDeltas();

  const take = (events: readonly ModelEvent[], out: Frame[], broken?: ModelError): void => {
    for (const event of events) for (const ready of joiner.push(event)) tell(ready, out, broken);
  };

  const tell = (event: ModelEvent, out: Frame[], broken?: ModelError): void => {
    if (response.over) return;
    for (const frame of opening) out.push(frame);
    opening = NOTHING;
    if (event.type === 'created') return;
    const next = event.type === 'failed' ? failed(event, broken) : withResponseId(event, responseId);
    const frames = encoder.push(next);
    for (const frame of frames) out.push(frame);
    if (event.type === 'completed' || event.type === 'incomplete') {
      response.usage = event.usage;
      if (store) response.outcome = keptIn(frames);
    }
    response.over = ENDS.has(event.type);
    response.spoke ||= event.type !== 'failed';
  };

  const failed = (event: Extract<ModelEvent, { type: 'failed' }>, broken?: ModelError): ModelEvent => {
    const isCut = event.code === 'stream_closed' && broken !== undefined;
    const failure = isCut ? broken : reportedFailure({ code: event.code, message: redact(event.message) });
    response.failure = failure;
    const { code, message } = upstreamError(failure);
    return { type: 'failed', code, message };
  };

  const response: OpenResponse = {
    spoke: false,
    over: false,
    failure: undefined,
    usage: null,
    outcome: undefined,
    push(frame, out) {
      if (frame.text === undefined) isFailing ||= isFailure(frame);
      take(decoder.push(frame), out);
    },
    settle(out) {
      // The decoder would wait for the end of the connection, which some servers keep open.
      if (isFailing) take(decoder.end(), out);
      for (const event of joiner.settle()) tell(event, out);
    },
    end(out, broken) {
      take(decoder.end(), out, broken);
    },
  };
  return response;
}

const NOTHING: readonly Frame[] = [];

interface OpenResponse extends Translator {
  spoke: boolean;
  over: boolean;
  failure: ModelError | undefined;
  usage: Usage | null;
  outcome: Outcome | undefined;
}

const ENDS: ReadonlySet<ModelEvent['type']> = new Set(['completed', 'incomplete', 'failed']);

/** Whether a frame of either wire says that the response failed. */
function isFailure(frame: Frame): boolean {
  const value = frameValue(frame);
  if (!isRecord(value)) return false;
  if (value.type === 'error' || value.type === 'response.failed') return true;
  return value.type === undefined && value.error !== undefined && value.error !== null;
}

/** The response in the last frame of the Responses wire. */
function keptIn(frames: readonly Frame[]): Outcome | undefined {
  const last = frames.at(-1);
  const event = last === undefined ? undefined : frameValue(last);
  return isRecord(event) && isRecord(event.response) ? outcomeOf(event.response) : undefined;
}
