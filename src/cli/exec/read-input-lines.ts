import { messageOf, UserError } from '../../base/errors.ts';
import type { InputPart } from '../../base/input.ts';
import { isRecord } from '../../base/json-schema.ts';

/** A line of the input, counted from 1, with its command or its fault. */
export type InputLine =
  | { readonly line: number; readonly command: InputCommand }
  | { readonly line: number; readonly fault: string };

export type InputCommand =
  /** The id is chosen by the client. Without one, an id is made. */
  | { readonly type: 'input'; readonly id: string | undefined; readonly input: readonly InputPart[] }
  | { readonly type: 'edit'; readonly id: string; readonly input: readonly InputPart[] }
  | { readonly type: 'remove'; readonly id: string }
  | { readonly type: 'interrupt' }
  | { readonly type: 'compact' };

const LONGEST_LINE_BYTES = 8 * 1024 * 1024;

/**
 * Reads JSON lines from a stream of bytes. A line that makes no sense or is too long is yielded as a fault, and reading
 * continues.
 */
export async function* readInputLines(
  bytes: AsyncIterable<Uint8Array>,
  longest = LONGEST_LINE_BYTES,
): AsyncGenerator<InputLine, void, undefined> {
  let line = 0;
  for await (const text of splitLines(bytes, longest)) {
    line++;
    if (text === null) yield { line, fault: `It is longer than ${longest} bytes.` };
    else if (text.trim() !== '') yield { line, ...read(text) };
  }
}

/** Yields each line as text. Null for a line that is too long, whose bytes are not kept in memory. */
async function* splitLines(bytes: AsyncIterable<Uint8Array>, longest: number): AsyncGenerator<string | null> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const keep = (part: Uint8Array) => {
    size += part.length;
    if (size <= longest) parts.push(part);
    else parts = [];
  };
  const take = () => {
    const text = size > longest ? null : Buffer.concat(parts).toString('utf8');
    parts = [];
    size = 0;
    return text;
  };
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, end));
      yield take();
      from = end + 1;
    }
    keep(chunk.subarray(from));
  }
  if (size > 0) yield take();
}

const NEWLINE = 0x0a;

function read(text: string): { command: InputCommand } | { fault: string } {
  try {
    return { command: toCommand(parse(text)) };
  } catch (error) {
    if (error instanceof UserError) return { fault: error.message };
    throw error;
  }
}

function parse(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new UserError('invalid_input', `It is not JSON: ${messageOf(error)}`);
  }
  if (!isRecord(value))
    throw new UserError('invalid_input', 'It is not a JSON object such as {"type":"input","text":"go on"}.');
  return value;
}

function toCommand(fields: Record<string, unknown>): InputCommand {
  switch (fields.type) {
    case 'input':
      return { type: 'input', id: fields.id === undefined ? undefined : idOf(fields), input: inputOf(fields) };
    case 'edit':
      return { type: 'edit', id: idOf(fields), input: inputOf(fields) };
    case 'remove':
      return { type: 'remove', id: idOf(fields) };
    case 'interrupt':
    case 'compact':
      return { type: fields.type };
    default:
      throw new UserError(
        'invalid_input',
        `Its "type" is ${shown(fields.type)}, not input, edit, remove, interrupt or compact.`,
      );
  }
}

function idOf({ type, id }: Record<string, unknown>): string {
  if (typeof id === 'string' && id !== '') return id;
  throw new UserError('invalid_input', `The "id" of ${shown(type)} is ${shown(id)}, not a string.`);
}

function inputOf({ type, text = '', images = [] }: Record<string, unknown>): readonly InputPart[] {
  if (typeof text !== 'string')
    throw new UserError('invalid_input', `The "text" of ${shown(type)} is ${shown(text)}, not a string.`);
  if (!Array.isArray(images) || !images.every((path) => typeof path === 'string' && path !== ''))
    throw new UserError('invalid_input', `The "images" of ${shown(type)} are ${shown(images)}, not a list of paths.`);
  if (text.trim() === '' && images.length === 0)
    throw new UserError('invalid_input', `An ${shown(type)} needs "text" or "images".`);
  return [
    ...images.map((path: string) => ({ type: 'local_image', path }) as const),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
  ];
}

const LONGEST_SHOWN = 80;

function shown(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value);
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`;
}
