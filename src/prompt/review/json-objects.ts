import { isRecord } from '../../base/json-schema.ts';

/**
 * Limit on the work: the text is read at most this many times. Without it, every opening brace could start a read to
 * the end.
 */
const READINGS = 10;

/** Yields the JSON objects in a text, outermost only, in order. Invalid objects are skipped. */
export function* jsonObjects(text: string): Generator<Record<string, unknown>> {
  const opening = /\{\s*["}]/g;
  for (let budget = READINGS * text.length; budget > 0; ) {
    const start = opening.exec(text)?.index;
    if (start === undefined) return;
    const end = objectEnd(text, start) ?? text.length;
    budget -= end - start;
    const value = parseObject(text.slice(start, end));
    opening.lastIndex = value === undefined ? start + 1 : end;
    if (value !== undefined) yield value;
  }
}

/** Returns the index after the brace that closes the one at `start`. Undefined: it is not closed. */
function objectEnd(text: string, start: number): number | undefined {
  const mark = /["{}]/g;
  mark.lastIndex = start;
  let depth = 0;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    if (found[0] === '"') mark.lastIndex = stringEnd(text, found.index);
    else depth += found[0] === '{' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return undefined;
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
