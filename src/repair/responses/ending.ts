import type { Fields } from '../../wire/fields/request-fields.ts';
import { madeFrame } from '../../wire/framing/frames.ts';
import { fieldsOf } from '../field-values.ts';
import { decideFinish, type FinishCalls } from '../finish.ts';
import { isBlank } from '../white-space.ts';
import { emitAnswerFromError } from './answer-from-error.ts';
import { hasCallItems } from './call-items.ts';
import { completeItems, isWhole } from './complete-items.ts';
import { isLacking } from './damaged-frame.ts';
import { emitItem } from './emit-item.ts';
import { type EventFrame, madeEventFrame } from './event-frame.ts';
import { isAnswered } from './is-answered.ts';
import { textPart, textsOf } from './item-shapes.ts';
import { fail, giveUp, type RepairStep, type ResponsesRepairState } from './response-state.ts';
import { countingTextCalls, emitBlocksAsText, emitTextCalls } from './text-calls.ts';
import { usageShape } from './usage-shape.ts';

/** Ends a response that the server reports as complete. */
export const completed: RepairStep = (frame, response) => {
  const { json: event } = frame;
  const { status, output } = fieldsOf(event.response);
  if (event.type !== 'response.completed') {
    response.reporter.report('A7', { before: event.type, after: 'response.completed' });
  }
  if (status === 'incomplete' || status === 'failed') return endedOtherwise(status, event, response);
  response.reasoningCalls ??= isAnswered(response) ? 'are text' : 'count';
  completeItems(output, 'signal', response);
  if (isLacking(response, output)) return failDamaged(response);
  const calls = callsOf(response);
  const finish = decideFinish(calls === 'none' ? 'stop' : 'calls', 'signal', calls);
  if (finish.as === 'cut') {
    response.reporter.report(finish.repair ?? 'A9', { before: 'response.completed', after: 'response.incomplete' });
    response.changed = true;
    return close('response.incomplete', frame, response, CUT);
  }
  emitTextCalls(response);
  promoteReasoning(response);
  close('response.completed', frame, response);
};

/** Ends a response that reached a limit. Calls that were completed before stay: they may already run. */
export const incomplete: RepairStep = (frame, response) => {
  response.reasoningCalls ??= 'are text';
  flushTexts(response);
  emitBlocksAsText(response);
  close('response.incomplete', frame, response);
};

/** Passes a failure on. Items that still come count. */
export const failed: RepairStep = (frame, response) => {
  if (emitAnswerFromError(frame.json, response)) return complete(response);
  if (response.bareError !== undefined) {
    response.reporter.report('F10', { before: response.bareError, after: 'error' });
  }
  response.state = 'failed';
  flushTexts(response);
  emitBlocksAsText(response);
  response.output.pass(frame);
};

/** Ends a response whose frames ended without a final event. */
export function endUnsignalled(end: 'mark' | 'connection', response: ResponsesRepairState): void {
  const { reporter, spoken } = response;
  if (response.damage?.isEnd === false || isLacking(response, undefined)) {
    failDamaged(response);
    return;
  }
  if (spoken !== 'responses' && (end === 'mark' || spoken !== 'nothing')) {
    failUnknown(response);
    return;
  }
  // An answer may have been about to follow the reasoning.
  if (end === 'connection') response.foundInReasoning.length = 0;
  response.reasoningCalls ??= end === 'mark' && !isAnswered(response) ? 'count' : 'are text';
  const isBroken = response.items.all.some((item) => item.type === 'call' && !isWhole(item, end));
  if (end === 'mark' && !isBroken) completeItems(undefined, end, response);
  const finish = decideFinish('none', end, isBroken ? 'broken' : callsOf(response, true));
  if (finish.as === 'failed') {
    flushTexts(response);
    reporter.report(finish.repair ?? 'A6', { before: 'no response.completed', after: 'response.failed' });
    response.state = 'failed';
    fail(CLOSED, response);
    return;
  }
  if (end === 'connection') {
    flushTexts(response);
    completeItems(undefined, end, response);
  }
  reporter.report(finish.repair ?? 'A5', { before: 'no response.completed', after: 'response.completed' });
  emitTextCalls(response);
  complete(response);
}

/** Fails a response that lost the content of a damaged frame. */
function failDamaged(response: ResponsesRepairState): void {
  flushTexts(response);
  giveUp(DAMAGED, response, 'stream_closed');
}

/** Fails a response without an event of this protocol. */
function failUnknown(response: ResponsesRepairState): void {
  const { reporter, foreign } = response;
  reporter.report('A6', { before: 'no event of a response', after: 'response.failed' });
  giveUp(foreign ?? SPEAKS_OTHERWISE, response);
}

/** Completes a response in place of the server. */
function complete(response: ResponsesRepairState): void {
  if (response.state === 'given up') return;
  response.state = 'finished';
  const { announced, id = UNKNOWN_ID, output } = response;
  const body = { ...announced, id, object: 'response', status: 'completed', output: sent(response), usage: null };
  output.make('response.completed', { response: body });
}

const CLOSED = { code: 'stream_closed', message: 'stream closed before response.completed' };
const DAMAGED = 'a frame of the stream was damaged, and what it held is lost';
const SPEAKS_OTHERWISE =
  'The server answered without a single event of the responses wire. It may speak another one: check wire_api.';
const CUT = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
const UNKNOWN_ID = 'resp_0';

/** Ends a response whose final event has the wrong type (A7). */
function endedOtherwise(status: 'incomplete' | 'failed', event: Fields, response: ResponsesRepairState): void {
  const type = `response.${status}`;
  response.reporter.report('A7', { before: event.type, after: type });
  const renamed = { ...event, type };
  (status === 'failed' ? failed : incomplete)(madeEventFrame(renamed), response);
}

/** Returns the calls of the response. `open`: whole calls that were not completed count too. */
function callsOf(response: ResponsesRepairState, open = false): FinishCalls {
  const isOpen = response.items.all.some((item) => item.type === 'call');
  if (isOpen) return open ? 'whole' : 'broken';
  return hasCallItems(response) || countingTextCalls(response).length > 0 ? 'whole' : 'none';
}

/** Ends the open texts. Held text goes out as text. */
function flushTexts(response: ResponsesRepairState): void {
  response.cutOff = true;
  for (const item of response.items.all) {
    if (item.type === 'message') for (const part of item.parts.values()) item.endPart(part, '');
    if (item.type !== 'reasoning') continue;
    for (const part of [...item.summary.values(), ...item.content.values()]) {
      part.end('');
      part.settle(false);
    }
  }
}

/** Emits reasoning as the answer, where the request allowed nothing but an answer (E11). */
function promoteReasoning(response: ResponsesRepairState): void {
  const { context, reporter } = response;
  if (context.tools.size > 0 || isAnswered(response)) return;
  const items = sent(response);
  if (items.some(({ type }) => type !== 'reasoning' && type !== 'message')) return;
  const text = items.flatMap(({ type, content }) => (type === 'reasoning' ? textsOf(content) : [])).join('');
  if (isBlank(text)) return;
  reporter.report('E11', { before: text, after: text });
  emitItem({ type: 'message', status: 'completed', role: 'assistant', content: [textPart(text)] }, response);
}

/** Emits the final event, repaired. */
function close(type: string, frame: EventFrame, response: ResponsesRepairState, changes: Fields = {}): void {
  if (response.state === 'given up') return;
  const { json: event } = frame;
  response.state = 'finished';
  const body = fieldsOf(event.response);
  const next = { ...body, ...changes, ...fixes(body, response) };
  const isSame = type === event.type && Object.entries(next).every(([name, value]) => body[name] === value);
  if (isSame) response.output.pass(frame);
  else response.output.push(madeFrame({ ...event, type, response: next }, type));
}

function fixes(body: Fields, response: ResponsesRepairState): Fields {
  const { reporter, changed } = response;
  const id = typeof body.id === 'string' ? body.id : (response.id ?? UNKNOWN_ID);
  if (id !== body.id) reporter.report('H9', { before: body.id ?? null, after: id });
  const usage = usageShape(body.usage);
  if (usage !== body.usage) reporter.report('H8', { before: body.usage, after: usage });
  return {
    id,
    ...(usage !== undefined && { usage }),
    ...(changed && { output: sent(response) }),
  };
}

/** Returns the items that went out. */
function sent({ completed: done }: ResponsesRepairState): readonly Fields[] {
  return done.flatMap(({ went }) => (went === undefined ? [] : [went]));
}
