import { isDeepStrictEqual } from 'node:util';
import { type JsonMember, type JsonNode, meaningOf, readJson } from './read-json.ts';

/**
 * Returns a text of JSON in which a key has another value. Everything else stays as it is, comments included. Undefined
 * if the text is not JSON, or has something else than an object on the way to the key.
 */
export function withJsonValue(text: string, path: readonly string[], value: unknown): string | undefined {
  const root = text.trim() === '' ? undefined : readJson(text);
  if (root === undefined) return text.trim() === '' ? `${JSON.stringify(nested(path, value), null, 2)}\n` : undefined;
  let node: JsonNode = root;
  for (const [depth, key] of path.entries()) {
    if (node.type !== 'object') return undefined;
    const member: JsonMember | undefined = node.members.findLast((one) => one.key === key);
    if (member === undefined) return withMember(text, node, key, nested(path.slice(depth + 1), value));
    node = member.value;
  }
  if (isDeepStrictEqual(meaningOf(node), JSON.parse(JSON.stringify(value)))) return text;
  const indent = indentAt(text, node.start);
  return `${text.slice(0, node.start)}${written(text, value, indent)}${text.slice(node.end)}`;
}

/** Returns an object with a value at a path. */
export function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((below, key) => ({ [key]: below }), value);
}

type JsonObject = Extract<JsonNode, { type: 'object' }>;

/** Returns the text with a further member at the end of an object. */
function withMember(text: string, object: JsonObject, key: string, value: unknown): string {
  const last = object.members.at(-1);
  const outer = indentAt(text, object.start);
  const isOneLine = last !== undefined && !text.slice(object.start, last.start).includes('\n');
  const indent = last === undefined ? `${outer}${unitOf(text)}` : indentAt(text, last.start);
  const newLine = lineEndOf(text);
  const member = `${JSON.stringify(key)}: ${written(text, value, isOneLine ? outer : indent)}`;
  if (last === undefined) {
    const inside = text.slice(0, object.end - 1).trimEnd();
    return `${inside}${newLine}${indent}${member}${newLine}${outer}${text.slice(object.end - 1)}`;
  }
  const end = last.comma ?? last.value.end;
  const comma = last.comma === undefined ? ',' : '';
  if (isOneLine) return `${text.slice(0, end)}${comma} ${member}${text.slice(end)}`;
  // A comment behind the last member stays on its line.
  const place = end + (/^(?:[ \t]|\/\*.*?\*\/)*(?:\/\/[^\r\n]*)?/.exec(text.slice(end))?.[0].trimEnd().length ?? 0);
  return `${text.slice(0, end)}${comma}${text.slice(end, place)}${newLine}${indent}${member}${text.slice(place)}`;
}

/** Returns a value as it is written below a line with this indent. */
function written(text: string, value: unknown, indent: string): string {
  const lines = JSON.stringify(value, null, unitOf(text)).split('\n');
  return lines.join(`${lineEndOf(text)}${indent}`);
}

/** Returns the blanks at the beginning of the line of a place. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** Returns one step of the indentation of a text. */
function unitOf(text: string): string {
  return /^(\t| {2,8})(?=["/])/m.exec(text)?.[1] ?? '  ';
}

function lineEndOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}
