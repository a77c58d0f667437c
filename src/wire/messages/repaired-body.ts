import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import { fieldsOf, isSet } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue } from '../framing/frames.ts';
import { blocksOf } from './adapt-rules.ts';
import { isWholeMessage } from './inspect.ts';
import { inputText } from './message-fields.ts';
import { mergeUsage } from './usage-fields.ts';

/**
 * Puts the blocks and the stop reason of the repaired events into a whole answer. All other fields of the answer stay,
 * and so does each block that says the same as before.
 */
export function repairedBody(answer: Fields, frames: readonly Frame[]): Fields | undefined {
  if (!isWholeMessage(answer)) return undefined;
  const events = frames.map(frameValue).filter(isRecord);
  const whole = events.find(isWholeMessage);
  if (whole !== undefined) return { ...answer, ...whole };
  const said = read(events);
  const known = [...blocksOf(answer)];
  const content = said.blocks.map((block) => {
    const at = known.findIndex((one) => saysSame(one, block));
    return known.splice(0, at + 1).at(-1) ?? block;
  });
  return { ...answer, ...said.stop, content, ...(!isSet(answer.usage) && said.usage && { usage: said.usage }) };
}

/** A message, put together from its events. */
interface SaidMessage {
  readonly blocks: readonly Fields[];
  /** Fields about the end of the message. */
  readonly stop: Fields;
  readonly usage: Fields | undefined;
}

function read(events: readonly Fields[]): SaidMessage {
  const blocks = new Map<unknown, Record<string, unknown>>();
  let stop: Fields = {};
  let usage: Fields | undefined;
  for (const event of events) {
    usage = mergeUsage(mergeUsage(usage, fieldsOf(event.message).usage), event.usage);
    if (event.type === 'content_block_start') blocks.set(event.index, { ...fieldsOf(event.content_block) });
    else if (event.type === 'message_delta') stop = fieldsOf(event.delta);
    else if (event.type === 'content_block_delta') addPiece(blocks.get(event.index), fieldsOf(event.delta));
  }
  return { blocks: Array.from(blocks.values(), withInput), stop, usage };
}

function addPiece(block: Record<string, unknown> | undefined, { type: _, citation, ...texts }: Fields): void {
  if (block === undefined) return;
  for (const [name, text] of Object.entries(texts)) block[name] = `${block[name] ?? ''}${String(text)}`;
  if (citation !== undefined) block.citations = [...(Array.isArray(block.citations) ? block.citations : []), citation];
}

/** Returns a block with the input that came in pieces. */
function withInput({ partial_json: written, ...block }: Fields): Fields {
  return typeof written === 'string' ? { ...block, input: JSON.parse(inputText(written)) } : block;
}

/** Reports whether two blocks have the same type, text, thoughts, name and input. */
function saysSame(a: Fields, b: Fields): boolean {
  return SPOKEN.every((name) => JSON.stringify(a[name] ?? null) === JSON.stringify(b[name] ?? null));
}

const SPOKEN = ['type', 'text', 'thinking', 'data', 'id', 'name', 'input'];
