import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { madeFrame } from '../../wire/framing/frames.ts';
import { isSet, textOf } from '../field-values.ts';
import { readPiece } from './call-piece.ts';
import { type Choice, restOf } from './choice-state.ts';
import { finishedUnit, silentUnit, type Unit, unitWith } from './chunk.ts';
import { finishChoice } from './finish-choice.ts';
import { emptyFinish, type ReadFinish, readFinish } from './read-finish.ts';
import { seenReasoning } from './reasoning-fields.ts';
import { takePiece } from './repair-calls.ts';
import { repairTexts, takeReasoning } from './repair-reasoning.ts';
import { takeContent, takeRefusal } from './split-texts.ts';

/** Reads one choice of one chunk. Returns the frame that ends the response if the choice reports a failure. */
export function takeUnit(choice: Choice, unit: Unit): Frame | undefined {
  if (isRecord(unit.choice.delta)) choice.last = unit;
  const reason = unit.choice.finish_reason;
  const piece = isSet(reason) ? undefined : lonePiece(unit.delta);
  if (piece !== undefined) takePiece(choice.calls, unit, readPiece(piece, choice.isLegacy));
  else if (!isSet(reason) && isPlain(unit.delta)) takeParts(choice, unit);
  else return takeRepaired(choice, repairUnit(choice, unit), readFinish(reason));
  return undefined;
}

/** Returns the piece of a call if a delta has nothing else. */
function lonePiece(delta: Fields): Fields | undefined {
  const { tool_calls, content, reasoning_content, reasoning, reasoning_details, function_call } = delta;
  if (!Array.isArray(tool_calls) || tool_calls.length !== 1 || !isRecord(tool_calls[0])) return undefined;
  const isAlone = !(content || reasoning_content || reasoning || reasoning_details || function_call);
  return isAlone ? tool_calls[0] : undefined;
}

function takeRepaired(choice: Choice, unit: Unit, finish: ReadFinish | undefined): Frame | undefined {
  if (finish === undefined) {
    takeParts(choice, unit);
    return undefined;
  }
  if (partsOf(choice, unit.delta).length === 0) return finishChoice(choice, unit, finish);
  choice.response.reporter.report('A10', { before: unit.choice, after: 'two frames' });
  takeParts(choice, finishedUnit(silentUnit(unit), unit.delta, null));
  return finishChoice(choice, unitWith(unit, {}), finish);
}

/** Reports whether a delta has only texts. */
function isPlain({
  content,
  reasoning_content,
  reasoning,
  reasoning_details,
  tool_calls,
  function_call,
}: Fields): boolean {
  return (
    !isSet(tool_calls) &&
    !isSet(function_call) &&
    !isSet(reasoning_details) &&
    isTextOrNothing(content) &&
    isTextOrNothing(reasoning_content) &&
    isTextOrNothing(reasoning)
  );
}

function isTextOrNothing(value: unknown): boolean {
  return typeof value === 'string' || !isSet(value);
}

/** Returns the unit in the form of the wire. The same unit if nothing changes. */
function repairUnit(choice: Choice, unit: Unit): Unit {
  const { reporter } = choice.response;
  const empty = emptyFinish(unit.choice.finish_reason);
  if (empty !== undefined) reporter.report(empty, { before: unit.choice.finish_reason, after: null });
  const signalled = empty === undefined ? unit : finishedUnit(unit, unit.delta, null);
  const delta = repairCalls(choice, withoutPadding(choice, repairTexts(choice, unit.delta)));
  return delta === unit.delta ? signalled : unitWith(signalled, delta);
}

/** Returns the delta without a call of the old form that has only empty fields: it is not a call (B12). */
function withoutPadding(choice: Choice, delta: Fields): Fields {
  const { function_call, ...rest } = delta;
  if (!isRecord(function_call) || textOf(function_call.name) !== '' || function_call.arguments) return delta;
  choice.response.reporter.report('B12', { before: { function_call }, after: 'left out' });
  return rest;
}

/** Returns the delta with its calls in the form of the wire (B11, B13). */
function repairCalls(choice: Choice, delta: Fields): Fields {
  const { reporter } = choice.response;
  const { tool_calls, function_call, ...rest } = delta;
  const isEmpty = Array.isArray(tool_calls) && tool_calls.length === 0;
  if (isEmpty) reporter.report('B11', { before: delta, after: 'left out' });
  // Some servers send a call in both forms.
  const isMirror = (isSet(tool_calls) && !isEmpty) || (choice.calls.slots.length > 0 && !choice.isLegacy);
  if (!isRecord(function_call) || isMirror)
    return isEmpty ? { ...rest, ...(isSet(function_call) && { function_call }) } : delta;
  choice.isLegacy = true;
  reporter.report('B13', { before: { function_call }, after: 'tool_calls' });
  const type = textOf(function_call.name) === '' ? {} : { type: 'function' };
  return { ...rest, tool_calls: [{ index: 0, ...type, function: function_call }] };
}

/** Reads the reasoning, the text and the calls of a unit. */
function takeParts(choice: Choice, unit: Unit): void {
  const { delta } = unit;
  const content = textOf(delta.content);
  const thought = seenReasoning(delta);
  if (isSet(delta.tool_calls) || (content !== '' && thought !== '')) takeSeveral(choice, unit);
  else if (content !== '') takeContent(choice, unit, content);
  else if (thought !== '') takeReasoning(choice, unit, thought);
  else takeRest(choice, unit);
}

/** Part of a delta, and the function that reads it. */
interface Part {
  readonly delta: Fields;
  take(choice: Choice, unit: Unit): void;
}

/** Reads each part in a unit of its own, unless there is only one. */
function takeSeveral(choice: Choice, unit: Unit): void {
  const parts = partsOf(choice, unit.delta);
  const [first] = parts;
  const calls = unit.delta.tool_calls;
  const isOne = parts.length === 1 && (!Array.isArray(calls) || calls.length <= 1);
  if (first === undefined) takeRest(choice, unit);
  else if (isOne) first.take(choice, unit);
  else takeApart(choice, unit, parts);
}

/** Reads the parts. If all of them pass unchanged, their original frame goes out. */
function takeApart(choice: Choice, unit: Unit, parts: readonly Part[]): void {
  const rest = restOf(unit.delta);
  const silent = silentUnit(unit);
  const units = parts.map(({ delta }, n) =>
    unitWith(n === parts.length - 1 ? unit : silent, n === 0 ? { ...rest, ...delta } : delta),
  );
  const frames = units.map(({ frame }) => frame);
  choice.response.queue.together(unit.frame, frames, () => {
    for (const [n, part] of parts.entries()) part.take(choice, units[n] ?? unit);
  });
}

/** Returns the parts of a delta: reasoning, text, calls. */
function partsOf({ isLegacy }: Choice, delta: Fields): readonly Part[] {
  const { content, reasoning_content, reasoning, reasoning_details, tool_calls } = delta;
  const parts: Part[] = [];
  const thought = seenReasoning(delta);
  if (thought !== '') {
    const fields = given({ reasoning_content, reasoning, reasoning_details });
    parts.push({ delta: fields, take: (choice, unit) => takeReasoning(choice, unit, thought) });
  }
  const said = textOf(content);
  if (said !== '') parts.push({ delta: { content }, take: (choice, unit) => takeContent(choice, unit, said) });
  for (const raw of Array.isArray(tool_calls) ? tool_calls.filter(isRecord) : []) {
    const piece = readPiece(raw, isLegacy);
    parts.push({ delta: { tool_calls: [raw] }, take: ({ calls }, unit) => takePiece(calls, unit, piece) });
  }
  return parts;
}

function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isSet(value)));
}

/** Reads a unit without text, reasoning and calls. */
function takeRest(choice: Choice, unit: Unit): void {
  const { queue, reporter } = choice.response;
  const { chunk, delta } = unit;
  const refusal = textOf(delta.refusal);
  choice.response.text.add(refusal);
  if (!choice.hasText && refusal !== '') takeRefusal(choice, unit);
  const isEmpty = !isRecord(unit.choice.delta) && !isSet(chunk.usage);
  if (isEmpty) reporter.report('A11', { before: chunk, after: 'left out' });
  else if (choice.finish !== undefined && isRecord(chunk.usage)) takeUsage(choice, unit);
  else queue.put(unit.frame);
}

/** Reads usage after the finish signal. An empty choice there is only a placeholder (F14). */
function takeUsage({ response }: Choice, { frame, chunk, delta }: Unit): void {
  const isPlaceholder = Object.values(delta).every((value) => !isSet(value) || value === '');
  if (isPlaceholder) response.reporter.report('F14', { before: chunk, after: { ...chunk, choices: [] } });
  response.queue.put(isPlaceholder ? madeFrame({ ...chunk, choices: [] }) : frame);
}
