import { isRecord } from '../base/json-schema.ts';
import type { CallSegment } from './text/segment.ts';

/** Blocks of calls that were found in the texts of a response. */
export interface FoundBlocks {
  readonly inText: readonly CallSegment[];
  readonly inReasoning: readonly CallSegment[];
  /** Whether the response has calls in the form of its wire. */
  readonly hasCalls: boolean;
  /** Whether the response has an answer. */
  readonly hasAnswer: boolean;
}

/**
 * Returns the blocks that are calls of the response, in the order in which they came. No block is a call next to calls
 * in the form of the wire. In reasoning a model may only think of a call, so a block in reasoning is a call only where
 * the response has no answer.
 */
export function countingBlocks({ inText, inReasoning, hasCalls, hasAnswer }: FoundBlocks): readonly CallSegment[] {
  if (hasCalls) return [];
  return inText.length > 0 || hasAnswer ? inText : inReasoning;
}

/** Reports whether a block repeats known calls only. */
export function isTwin({ calls }: Pick<CallSegment, 'calls'>, known: ReadonlySet<string>): boolean {
  return calls.every((call) => known.has(callSignature(call.name, call.arguments)));
}

/** Returns the signatures of all calls in blocks. */
export function signaturesIn(blocks: readonly CallSegment[]): ReadonlySet<string> {
  return new Set(blocks.flatMap(({ calls }) => calls.map((call) => callSignature(call.name, call.arguments))));
}

/**
 * Returns a text that two calls share if they are the same call, even if their arguments are written in different ways.
 * An input that is not JSON, or is nested too deep, is compared as it is.
 */
export function callSignature(name: unknown, input: unknown): string {
  try {
    return JSON.stringify([name, sorted(typeof input === 'string' ? JSON.parse(input) : input)]);
  } catch {
    return JSON.stringify([name, input]);
  }
}

/** Returns a value with the fields of its objects in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return fields.map(([name, field]) => [name, sorted(field)]);
}
