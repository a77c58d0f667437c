import { isRecord } from '../../base/json-schema.ts';
import type { Frame, StreamRepair } from '../../base/wire.ts';
import { isEndMark } from '../../wire/chat/end-mark.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { frameValue } from '../../wire/framing/frames.ts';
import type { RepairContext } from '../context.ts';
import { foreignProtocol } from '../foreign-protocol.ts';
import { createTemplateFrames, type TemplateShape } from '../template-frames.ts';
import { takeDamagedFrame } from './damaged-frame.ts';
import { endUnsignalled } from './ending.ts';
import { type EventFrame, eventFrame, madeEventFrame } from './event-frame.ts';
import { eventsOf, isEventType } from './read-events.ts';
import { decideReasoningCalls, verdictOn } from './reasoning-calls.ts';
import { openResponse, passUnknown, type RepairStep, type ResponsesRepairState } from './response-state.ts';
import { stepFor } from './steps.ts';

/** Repairs the frames of one response of the Responses API. */
export function repairResponses(context: RepairContext): StreamRepair {
  const response: ResponsesRepairState = openResponse(context, (event) => {
    response.fed.add(event);
    take(madeEventFrame(event), response);
  });
  const templates = createTemplateFrames(TEXT_DELTAS);
  return {
    push(frame) {
      response.reporter.frame++;
      if (response.state === 'finished') return [frame];
      const templated = response.running === undefined ? undefined : templates.read(frame);
      if (templated !== undefined && runsOn(templated.like, templated.text, response)) {
        response.output.sequence = templated.json.sequence_number;
        return [templated];
      }
      const value = templated?.json ?? frameValue(frame);
      if (!isRecord(value)) takeOther(frame, response);
      else if (isRunningText(value, response)) {
        if (templated === undefined) templates.learn(frame, value);
        return [eventFrame(frame, value)];
      } else if (isEventType(value.type)) takeEvent(eventFrame(frame, value), response);
      else for (const made of eventsOf(value, frame, response)) takeEvent(made, response);
      return response.output.take();
    },
    isGivenUp: () => response.state === 'given up',
    end() {
      if (response.undecided !== undefined) decideReasoningCalls('are text', response, step);
      if (response.state === 'open') endUnsignalled('connection', response);
      return response.output.takeAll();
    },
  };
}

/** Values in which pieces of a text differ. Some servers add a text of random length against eavesdroppers. */
const TEXT_DELTAS: TemplateShape = {
  gaps: [
    { field: 'delta', inner: [], type: 'text' },
    { field: 'sequence_number', inner: [], type: 'number' },
    { field: 'obfuscation', inner: [], type: 'text' },
  ],
};

/**
 * Accepts a further piece of the current text, as nearly all events are, and reports whether it may go out unchanged.
 * Otherwise nothing happens.
 */
function isRunningText(event: Fields, response: ResponsesRepairState): boolean {
  const { type, delta } = event;
  if (type !== 'response.output_text.delta' || typeof delta !== 'string') return false;
  if (!runsOn(event, delta, response)) return false;
  response.output.sequence = event.sequence_number;
  return true;
}

/** Does the same for text in the place of an event. */
function runsOn(
  { item_id, output_index, content_index }: Fields,
  text: string,
  response: ResponsesRepairState,
): boolean {
  const { running } = response;
  const isSame =
    running !== undefined &&
    item_id === running.itemId &&
    output_index === running.outputIndex &&
    content_index === running.contentIndex;
  return isSame && running.part.passes(text);
}

function takeEvent(frame: EventFrame, response: ResponsesRepairState): void {
  if (response.spoken !== 'responses') {
    response.spoken = isEventType(frame.json.type) ? 'responses' : 'something else';
    response.foreign ??= foreignProtocol(frame.json, 'responses');
  }
  take(frame, response);
}

function take(frame: EventFrame, response: ResponsesRepairState): void {
  const { undecided } = response;
  const verdict = undecided === undefined ? undefined : verdictOn(frame.json);
  if (verdict !== undefined) decideReasoningCalls(verdict, response, step);
  if (undecided !== undefined && verdict === undefined) undecided.waiting.push(frame);
  else step(frame, response);
}

const step: RepairStep = (frame, response) => {
  const { json: event } = frame;
  response.running = undefined;
  const placed = placedEvent(event, response);
  const next = placed === event ? frame : madeEventFrame(placed, frame.event);
  response.output.sequence = event.sequence_number;
  const run = stepFor(event.type);
  if (run === undefined) passUnknown(next, response);
  else run(next, response);
};

/** Returns an event with the index that its item has in the output. Events that were made up here already have it. */
function placedEvent(event: Fields, { items, fed }: ResponsesRepairState): Fields {
  if (!fed.has(event)) return items.place(event);
  items.note(event.output_index);
  return event;
}

/** Reads data that is not an event: the end mark of the chat wire, or something unexpected. */
function takeOther(frame: Frame, response: ResponsesRepairState): void {
  const text = frame.data.trim();
  if (text === '') return;
  if (text.startsWith('{') && frame.json === undefined) {
    takeDamagedFrame(frame, response);
    return;
  }
  if (!isEndMark(frame)) {
    response.reporter.report('F2', { before: text, after: '' });
    return;
  }
  if (response.undecided !== undefined) decideReasoningCalls('count', response, step);
  if (response.state === 'open') endUnsignalled('mark', response);
  response.output.push(frame);
}
