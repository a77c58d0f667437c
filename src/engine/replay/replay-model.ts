import { ModelError, type ModelErrorCode } from '../../base/errors.ts';
import { type CallItem, type Item, isCall } from '../../base/item.ts';
import type { LogLine, OxbowLine } from '../../base/log.ts';
import type { Model, StreamedEvent, StreamOptions } from '../../base/model.ts';
import { fromTokenCounts } from '../state/token-counts.ts';
import { RecordEnd } from './divergence.ts';
import type { Playback } from './playback.ts';

type RequestEnd = Extract<OxbowLine, { kind: 'request.ended' }>;

/**
 * Returns a model that answers with the recorded responses. `made` is called with each call and the number of its line.
 */
export function replayModel(playback: Playback, made: (call: CallItem, line: number) => void): Model {
  return {
    // Each error says by itself whether it is retried.
    maxStreamRetries: Number.POSITIVE_INFINITY,
    retryDelayMs: () => 0,
    stream: (_request, options) => recordedEvents(playback, options, made),
  };
}

async function* recordedEvents(
  playback: Playback,
  { meter }: StreamOptions,
  made: (call: CallItem, line: number) => void,
): AsyncGenerator<StreamedEvent> {
  const { expected } = playback;
  // If this line is missing from the record, the replay will diverge there.
  const end = expected.nextOwn('request.ended');
  if (meter && end) {
    meter.sentBytes = end.sent_bytes ?? 0;
    meter.receivedBytes = end.received_bytes ?? 0;
    meter.retries = end.retries ?? 0;
  }
  const summary = end?.error === undefined ? summaryAhead(playback) : undefined;
  if (summary !== undefined) yield { type: 'item.done', item: assistantMessage(summary) };
  for (;;) {
    await playback.caughtUp();
    const next = expected.ahead();
    if (!next) throw new RecordEnd('The log ends here.');
    const { line, number } = next;
    if (line.type === 'response_item') {
      if (isCall(line.payload)) made(line.payload, number);
      yield { type: 'item.done', item: line.payload };
    } else if (line.type === 'oxbow' && line.payload.kind === 'repair') {
      const { kind: _, call_id: callId, ...repair } = line.payload;
      yield { type: 'repair', repair: { ...repair, callId } };
    } else {
      yield lastEvent(playback, line, end);
    }
  }
}

/**
 * Returns the summary in a response that is followed by a compaction. The summary is not an item of the history. Any
 * text will do if the process died before recording it.
 */
function summaryAhead({ expected }: Playback): string | undefined {
  let text: string | undefined;
  for (let at = 0; ; at++) {
    const line = expected.ahead(at)?.line;
    if (line?.type === 'compacted') return line.payload.message;
    if (!line || (line.type === 'oxbow' && line.payload.kind === 'request.started')) return text;
    if (line.type === 'oxbow' && line.payload.kind === 'checkpoint') text = 'lost';
  }
}

function assistantMessage(text: string): Item {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
}

function lastEvent(playback: Playback, line: LogLine, end: RequestEnd | undefined): StreamedEvent {
  const counted = line.type === 'event_msg' && line.payload.type === 'token_count';
  const usage = counted ? fromTokenCounts(line.payload.info.last_token_usage) : null;
  const responseId = '';
  if (end?.error === 'incomplete') return { type: 'incomplete', responseId, reason: cutReason(playback), usage };
  if (end?.error !== undefined && !counted) throw errorOf(playback, end);
  return { type: 'completed', responseId, usage, endTurn: asksAgain(playback) ? false : null };
}

/** Reports whether another request follows without a refused answer. It may follow without a call to answer. */
function asksAgain({ expected }: Playback): boolean {
  const next = expected.nextOwn('request.started', 'output.refused');
  return next?.kind === 'request.started' && next.attempt === 0;
}

function errorOf(playback: Playback, { error = '', cost, received_bytes }: RequestEnd): Error {
  const message = failureAhead(playback) ?? error;
  if (error === 'internal') return new Error(message);
  const next = playback.expected.nextOwn('request.started');
  // A limit that ended the turn was reached before the next attempt.
  const retryable = next ? next.attempt > 0 : playback.expected.nextOwn('turn.failed')?.code === 'limit';
  // The bytes of a refusal cost nothing. Its status marks it as a refusal.
  const refused = typeof cost === 'number' && (received_bytes ?? 0) > 0;
  return new ModelError(error as ModelErrorCode, message, { retryable, ...(refused ? { status: 400 } : {}) });
}

function cutReason({ expected }: Playback): string {
  return expected.nextOwn('turn.failed')?.cut_off ?? 'unknown';
}

/** Returns the message of the error that the turn failed with, without our explanation. */
function failureAhead({ expected }: Playback): string | undefined {
  const failure = expected.nextOwn('turn.failed');
  return failure?.said ?? failure?.message;
}
