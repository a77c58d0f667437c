import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { isRecord } from '../../base/json-schema.ts';

/**
 * A part of the output of a server. `broken` is an answer that is not JSON-RPC, to the request with that id. `noise` is
 * not a message at all.
 */
export type OutputPart =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | { readonly kind: 'broken'; readonly id: number }
  | { readonly kind: 'noise' };

/** Returns the messages of a line. Servers of 2025-03-26 may write several as an array. */
export function readMessages(line: string): readonly OutputPart[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    const id = idIn(line);
    return [id === undefined ? { kind: 'noise' } : { kind: 'broken', id }];
  }
  return (Array.isArray(value) ? value : [value]).map(readMessage);
}

function readMessage(value: unknown): OutputPart {
  if (!isRecord(value) || value.jsonrpc !== '2.0') return { kind: 'noise' };
  const { method, id, result, error } = value;
  // The SDK checks requests and notifications. It drops an answer of the wrong shape, and the request would never end.
  const isAnswer = typeof method !== 'string';
  const isError = isRecord(error) && Number.isInteger(error.code) && typeof error.message === 'string';
  if (isAnswer && !isRecord(result) && !isError) {
    return isId(id) ? { kind: 'broken', id: Number(id) } : { kind: 'noise' };
  }
  return { kind: 'message', message: value as unknown as JSONRPCMessage };
}

const isId = (id: unknown) => (typeof id === 'number' || typeof id === 'string') && Number.isInteger(Number(id));

const ID_FIRST = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\b/;
const ID_LAST = /"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/**
 * Returns the id of an answer that cannot be parsed, from its ends. Undefined for a text that does not look like an
 * answer.
 */
export function idIn(head: string, tail = head): number | undefined {
  if (!head.trimStart().startsWith('{')) return undefined;
  const digits = ID_FIRST.exec(head)?.[1] ?? ID_LAST.exec(tail)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
