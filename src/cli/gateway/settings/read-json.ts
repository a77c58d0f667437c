/** A value in a text of JSON, and where it stands. Comments and commas at the end of a list are allowed, as in editors. */
export type JsonNode =
  | { readonly type: 'object'; readonly start: number; readonly end: number; readonly members: readonly JsonMember[] }
  | { readonly type: 'list'; readonly start: number; readonly end: number; readonly entries: readonly JsonNode[] }
  | { readonly type: 'plain'; readonly start: number; readonly end: number; readonly value: unknown };

export interface JsonMember {
  readonly key: string;
  /** Where the key begins. */
  readonly start: number;
  readonly value: JsonNode;
  /** The end of the comma behind the value. Undefined without one. */
  readonly comma: number | undefined;
}

/** Returns the value in a text. Undefined for a text that is not JSON. */
export function readJson(text: string): JsonNode | undefined {
  try {
    const start = afterBlanks(text, 0);
    const node = readNode(text, start);
    return afterBlanks(text, node.end) === text.length ? node : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns the meaning of a value. */
export function meaningOf(node: JsonNode): unknown {
  switch (node.type) {
    case 'plain':
      return node.value;
    case 'list':
      return node.entries.map(meaningOf);
    case 'object':
      // Not an assignment: a key may be __proto__.
      return Object.fromEntries(node.members.map(({ key, value }) => [key, meaningOf(value)]));
  }
}

/** Returns the end of blanks and comments. */
function afterBlanks(text: string, at: number): number {
  const blanks = /(?:[\s\uFEFF]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
  blanks.lastIndex = at;
  return at + (blanks.exec(text)?.[0].length ?? 0);
}

function readNode(text: string, at: number): JsonNode {
  if (text[at] === '{') return readObject(text, at);
  if (text[at] === '[') return readList(text, at);
  const plain = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y;
  plain.lastIndex = at;
  const word = plain.exec(text)?.[0];
  if (word === undefined) throw new SyntaxError();
  return { type: 'plain', start: at, end: at + word.length, value: JSON.parse(word) };
}

function readObject(text: string, start: number): JsonNode {
  const members: JsonMember[] = [];
  for (let at = afterBlanks(text, start + 1); ; ) {
    if (text[at] === '}') return { type: 'object', start, end: at + 1, members };
    if (members.length > 0 && members.at(-1)?.comma === undefined) throw new SyntaxError();
    const key = readNode(text, at);
    const colon = afterBlanks(text, key.end);
    if (key.type !== 'plain' || typeof key.value !== 'string' || text[colon] !== ':') throw new SyntaxError();
    const value = readNode(text, afterBlanks(text, colon + 1));
    const next = afterBlanks(text, value.end);
    const comma = text[next] === ',' ? next + 1 : undefined;
    members.push({ key: key.value, start: at, value, comma });
    at = afterBlanks(text, comma ?? next);
  }
}

function readList(text: string, start: number): JsonNode {
  const entries: JsonNode[] = [];
  for (let at = afterBlanks(text, start + 1); text[at] !== ']'; ) {
    const entry = readNode(text, at);
    entries.push(entry);
    const next = afterBlanks(text, entry.end);
    if (text[next] !== ',' && text[next] !== ']') throw new SyntaxError();
    at = text[next] === ',' ? afterBlanks(text, next + 1) : next;
    if (text[at] === ']') return { type: 'list', start, end: at + 1, entries };
  }
  return { type: 'list', start, end: afterBlanks(text, start + 1) + 1, entries };
}
