import type { Fields } from '../../wire/fields/request-fields.ts';
import { deltaChunk, SILENT_CHUNK } from '../chat/borrow-repair.ts';
import { fieldsOf, textOf } from '../field-values.ts';
import type { BlockPiece, ReadBlock } from './read-block.ts';
import { type BlockKind, type EventReading, eventFrame, type MessageFrame } from './step.ts';

/** Returns the reading of the beginning of a block. */
export function startReading(block: ReadBlock): EventReading {
  const { place, frame } = block;
  const step = { type: 'start', block, frame } as const;
  if (block.kind !== 'call') return { chunk: SILENT_CHUNK, step };
  const { id, name } = fieldsOf(block.start.content_block);
  const form = { name: textOf(name), arguments: '' };
  const piece = { index: place, id: textOf(id), type: 'function', function: form, block };
  return { chunk: deltaChunk({ tool_calls: [piece] }), step };
}

/** Returns the reading of a piece that a repair does not look into. */
export function extraReading(block: ReadBlock, frame: MessageFrame): EventReading {
  return { chunk: SILENT_CHUNK, step: { type: 'delta', block, frame } };
}

/** Returns the chunk with input of a call. */
export function inputChunk(block: ReadBlock, input: unknown): Fields {
  return deltaChunk({ tool_calls: [{ index: block.place, function: { arguments: input }, block }] });
}

/** Returns a piece of a block that a repair made. */
export function madePiece(block: ReadBlock, text: string): BlockPiece {
  return { frame: pieceFrame(block, text), value: text };
}

/** Returns the event of a piece of a block. */
export function pieceFrame({ index, kind }: ReadBlock, text: string): MessageFrame {
  return eventFrame({ type: 'content_block_delta', index, delta: deltaOf(kind, text) });
}

/** Returns the event of a signature. */
export function signatureFrame({ index }: ReadBlock, signature: string): MessageFrame {
  return eventFrame({ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature } });
}

/** Returns the delta of a piece. */
export function deltaOf(kind: BlockKind, text: string): Fields {
  if (kind === 'text') return { type: 'text_delta', text };
  if (kind === 'thinking') return { type: 'thinking_delta', thinking: text };
  return { type: 'input_json_delta', partial_json: text };
}
