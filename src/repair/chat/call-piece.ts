import { customForm } from '../../wire/chat/custom-form.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { fieldsOf, isSet, textOf, writtenJson } from '../field-values.ts';

/** Piece of one call in a delta. An empty text counts as missing. */
export interface ChatCallPiece {
  readonly raw: Fields;
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  /** Arguments, or the input of a custom call. Undefined if nested too deep to be written as a text. */
  readonly input: string | undefined;
  readonly custom: boolean;
  /** Whether the arguments came as something else than a text. */
  readonly converted: boolean;
  /** Whether the piece has an empty name. */
  readonly nameless: boolean;
  /** Whether the piece is of the old form, which has neither ids nor indexes. */
  readonly legacy: boolean;
}

export function readPiece(raw: Fields, legacy = false): ChatCallPiece {
  const custom = customForm(raw) !== undefined;
  const form = formOf(raw);
  const value = custom ? form.input : form.arguments;
  const converted = isSet(value) && typeof value !== 'string';
  return {
    raw,
    index: isPlace(raw.index) ? raw.index : undefined,
    id: textOf(raw.id),
    name: textOf(form.name),
    input: converted ? writtenJson(value) : textOf(value),
    custom,
    converted,
    nameless: form.name === '',
    legacy,
  };
}

/** Reports whether a piece has neither an id, a name nor input. */
export function isEmptyPiece({ id, name, input }: ChatCallPiece): boolean {
  return id === '' && name === '' && input === '';
}

/** Reports whether a piece has fields besides its name and its input, such as an id or a signature. */
export function saysMore(raw: Fields): boolean {
  return Object.keys(raw).some((key) => isSet(raw[key]) && raw[key] !== '' && !PLAIN.includes(key));
}

const PLAIN = ['index', 'type', 'function', 'custom'];

export function pieceName(raw: Fields): string {
  return textOf(formOf(raw).name);
}

/** Changes of a piece. An undefined field stays as it is, a null field is removed. */
export interface PieceChange {
  readonly index?: number | undefined;
  readonly id?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly type?: string | undefined;
}

/** Returns the piece with a change. `input` replaces its input, if given. */
export function changedPiece(raw: Fields, change: PieceChange, input?: string): Fields {
  const isCustom = customForm(raw) !== undefined;
  const old = formOf(raw);
  const form = merged({ name: change.name === undefined ? old.name : change.name }, old);
  if (input !== undefined) form[isCustom ? 'input' : 'arguments'] = input;
  const { index = raw.index, id = raw.id, type = raw.type } = change;
  const { custom: _, ...others } = raw;
  const piece = merged({ index, id, ...(isSet(type) && { type }) }, isCustom ? raw : others);
  piece[isCustom ? 'custom' : 'function'] = form;
  return piece;
}

/** Returns the fields of `head` that are set, then the fields of `rest` that `head` does not have. */
function merged(head: Fields, rest: Fields): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name in head) if (isSet(head[name])) fields[name] = head[name];
  for (const name in rest) if (!Object.hasOwn(head, name)) fields[name] = rest[name];
  return fields;
}

/** Returns a piece that begins a call. */
export function firstPiece(call: { index: number; id: string; name: string; input: string }): Fields {
  const { index, id, name, input } = call;
  return { index, id, type: 'function', function: { name, arguments: input } };
}

/** Returns a piece that continues a call. */
export function nextPiece(index: number, input: string): Fields {
  return { index, function: { arguments: input } };
}

function isPlace(index: unknown): index is number {
  return Number.isSafeInteger(index) && Number(index) >= 0;
}

function formOf(raw: Fields): Fields {
  return customForm(raw) ?? fieldsOf(raw.function);
}
