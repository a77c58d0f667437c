import { isRecord } from '../../base/json-schema.ts';
import { sameOr } from '../../wire/fields/edit-fields.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { fieldsOf, isSet, textOf, writtenJson } from '../field-values.ts';
import type { RepairReporter } from '../report.ts';

/** Calls of a line. */
export interface LineCalls {
  /** The calls in the form of the wire. */
  readonly calls: readonly unknown[];
  /** The calls as pieces of the chat wire. */
  readonly pieces: readonly Fields[];
  /** Whether every call is whole. Only arguments that came as a text may break off. */
  readonly isWhole: boolean;
}

/** Reads the calls of a line, after `count` calls of earlier lines (B12, B13, C4, I10). */
export function readCalls(list: readonly unknown[], count: number, reporter: RepairReporter): LineCalls {
  const said = list.filter(isRecord);
  if (said.length < list.length) reporter.report('B12', { before: list, after: said });
  const read = said.map((call, n) => readCall(call, count + n, reporter));
  return {
    calls: sameOr(
      list,
      read.map(({ call }) => call),
    ),
    pieces: read.map(({ piece }) => piece),
    isWhole: read.every(({ isWhole }) => isWhole),
  };
}

interface ReadCall {
  readonly call: Fields;
  readonly piece: Fields;
  readonly isWhole: boolean;
}

function readCall(said: Fields, place: number, reporter: RepairReporter): ReadCall {
  const formed = inForm(said, reporter);
  const form = fieldsOf(formed.function);
  const { value, text, isWhole } = readArguments(form.arguments, reporter);
  const call = value === form.arguments ? formed : { ...formed, function: { ...form, arguments: value } };
  const id = textOf(said.id) || `${OWN_ID}${place}`;
  const name = textOf(form.name);
  return {
    call,
    piece: { index: place, id, type: 'function', function: { name, arguments: text }, call: new CallFields(call) },
    isWhole,
  };
}

/** Beginning of the ids of calls without one, which is healthy on this wire. Such ids do not go out. */
export const OWN_ID = '\u0000';

/** Fields of a call as it came. They stand in chunks, and reports of repairs quote chunks. */
export class CallFields {
  readonly fields: Fields;

  constructor(fields: Fields) {
    this.fields = fields;
  }

  toJSON(): undefined {
    return undefined;
  }
}

/** Returns a call with its name and its arguments in the field for them (B13). */
function inForm(said: Fields, reporter: RepairReporter): Fields {
  if (isRecord(said.function) || typeof said.name !== 'string') return said;
  const { name, arguments: value, ...rest } = said;
  const call = { ...rest, function: { name, arguments: value } };
  reporter.report('B13', { before: said, after: call });
  return call;
}

interface ReadArguments {
  readonly value: unknown;
  /** The arguments as a text, whose faults a repair may correct. */
  readonly text: string;
  readonly isWhole: boolean;
}

function readArguments(value: unknown, reporter: RepairReporter): ReadArguments {
  if (!isSet(value)) {
    reporter.report('C4', { before: value ?? null, after: {} });
    return { value: {}, text: '{}', isWhole: true };
  }
  if (typeof value !== 'string') return { value, text: writtenJson(value) ?? '', isWhole: true };
  const parsed = objectIn(value);
  if (parsed !== undefined) reporter.report('I10', { before: value, after: parsed });
  return { value: parsed ?? value, text: value, isWhole: parsed !== undefined };
}

/** Returns the object that a text holds; undefined if it holds something else. */
export function objectIn(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
