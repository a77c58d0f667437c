import type { ModelError } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';
import type { ModelEvent } from '../base/model.ts';
import type { Usage } from '../base/usage.ts';
import type { Frame, StreamDecoder, StreamEncoder } from '../base/wire.ts';
import { frameValue } from '../wire/repair/frames.ts';
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
  let spoke = false;
  let over = false;
  let failure: ModelError | undefined;
  let usage: Usage | null = null;
  let outcome: Outcome | undefined;
  let isFailing = false;

  const take = (event: ModelEvent, out: Frame[], broken?: ModelError): void => {
    if (over) return;
    const next = event.type === 'failed' ? failed(event, broken) : withResponseId(event, responseId);
    const frames = encoder.push(next);
    for (const frame of frames) out.push(frame);
    if (event.type === 'completed' || event.type === 'incomplete') {
      usage = event.usage;
      if (store) outcome = keptIn(frames);
    }
    over = ENDS.has(event.type);
    spoke ||= event.type !== 'created' && event.type !== 'failed';
  };

  const failed = (event: Extract<ModelEvent, { type: 'failed' }>, broken?: ModelError): ModelEvent => {
    const isCut = event.code === 'stream_closed' && broken !== undefined;
    failure = isCut ? broken : reportedFailure({ code: event.code, message: redact(event.message) });
    const { code, message } = upstreamError(failure);
    return { type: 'failed', code, message };
  };

  return {
    push(frame, out) {
      isFailing ||= isFailure(frame);
      for (const event of decoder.push(frame)) take(event, out);
    },
    settle(out) {
      // The decoder would wait for the end of the connection, which some servers keep open.
      if (isFailing) for (const event of decoder.end()) take(event, out);
    },
    end(out, broken) {
      for (const event of decoder.end()) take(event, out, broken);
    },
    get spoke() {
      return spoke;
    },
    get over() {
      return over;
    },
    get failure() {
      return failure;
    },
    get usage() {
      return usage;
    },
    get outcome() {
      return outcome;
    },
  };
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
