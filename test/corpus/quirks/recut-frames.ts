import { isRecord } from '../../../src/base/json-schema.ts';
import type { Case } from './read-corpus.mjs';

type Fields = Readonly<Record<string, unknown>>;
type Frames = NonNullable<Case['frames']>;

/** Returns the same response with its texts and arguments in pieces of `size` characters. */
export function recutFrames(frames: Frames, size: number): Frames {
  return frames.flatMap((frame): Frames => (typeof frame === 'string' ? recut(frame, size) : [frame]));
}

function recut(frame: string, size: number): readonly string[] {
  const value = parse(frame);
  const made = recutEvent(value, size) ?? recutChunk(value, size) ?? [];
  return made.length < 2 ? [frame] : made.map((piece) => JSON.stringify(piece));
}

const DELTAS: readonly unknown[] = ['response.output_text.delta', 'response.function_call_arguments.delta'];

function recutEvent(event: Fields, size: number): readonly Fields[] | undefined {
  if (!DELTAS.includes(event.type) || typeof event.delta !== 'string') return undefined;
  return pieces(event.delta, size).map((delta) => ({ ...event, delta }));
}

/** Cuts a chunk with one text. A chunk with several stays whole, since its other fields could belong to any piece. */
function recutChunk(chunk: Fields, size: number): readonly Fields[] | undefined {
  const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
  const [choice] = choices;
  if (choices.length !== 1 || !isRecord(choice) || !isRecord(choice.delta) || choice.finish_reason) return undefined;
  const deltas = recutText(choice.delta, size) ?? recutCall(choice.delta, size);
  return deltas?.map((delta) => ({ ...chunk, choices: [{ ...choice, delta }] }));
}

function recutText(delta: Fields, size: number): readonly Fields[] | undefined {
  const [key = '', ...others] = Object.keys(delta).filter((name) => name !== 'role');
  const text = delta[key];
  if (others.length > 0 || typeof text !== 'string') return undefined;
  return pieces(text, size).map((piece, i) => ({ ...(i === 0 && delta), [key]: piece }));
}

function recutCall(delta: Fields, size: number): readonly Fields[] | undefined {
  const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
  const [call] = calls;
  if (calls.length !== 1 || !isRecord(call) || !isRecord(call.function) || call.index === undefined) return undefined;
  const { function: form, index } = call;
  if (typeof form.arguments !== 'string') return undefined;
  return pieces(form.arguments, size).map((piece, i) =>
    i === 0
      ? { ...delta, tool_calls: [{ ...call, function: { ...form, arguments: piece } }] }
      : { tool_calls: [{ index, function: { arguments: piece } }] },
  );
}

/** Cuts between characters: a server cannot send half of one in JSON. */
function pieces(text: string, size: number): string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, i) =>
    characters.slice(i * size, (i + 1) * size).join(''),
  );
}

function parse(frame: string): Fields {
  try {
    const value: unknown = JSON.parse(frame);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
