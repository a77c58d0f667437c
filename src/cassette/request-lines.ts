import { isRecord } from '../base/json-schema.ts';
import type { CassetteLine, ExchangeRequest } from './cassette.ts';

/** Length in characters, as JSON, from which a part of a body is stored once. */
const LONG = 200;

/**
 * Returns an encoder of the requests of one file. Each request carries the history, the instructions and the tools
 * again. The long fields of a body, and the long elements of its lists, are therefore lines of their own, and bodies
 * refer to them by number.
 */
export function createRequestLines(): (n: number, request: ExchangeRequest) => CassetteLine[] {
  const ids = new Map<string, number>();
  return (n, request) => {
    const parts: CassetteLine[] = [];
    const share = (value: unknown): unknown => {
      const text = JSON.stringify(value);
      if (text.length < LONG && !isReference(value)) return value;
      const id = ids.get(text) ?? ids.size + 1;
      if (!ids.has(text)) parts.push({ type: 'part', id, value });
      ids.set(text, id);
      return { $part: id };
    };
    const body = eachPart(request.body, share);
    return [...parts, { type: 'request', n, ...request, body }];
  };
}

/** Returns a body with its parts in their places. Calls `missing` for the number of an unknown part. */
export function withParts(body: unknown, parts: ReadonlyMap<number, unknown>, missing: (id: number) => never): unknown {
  return eachPart(body, (value) => {
    if (!isReference(value)) return value;
    return parts.has(value.$part) ? parts.get(value.$part) : missing(value.$part);
  });
}

function eachPart(body: unknown, change: (value: unknown) => unknown): unknown {
  if (!isRecord(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, Array.isArray(value) ? value.map(change) : change(value)]),
  );
}

function isReference(value: unknown): value is { readonly $part: number } {
  return isRecord(value) && typeof value.$part === 'number' && Object.keys(value).length === 1;
}
