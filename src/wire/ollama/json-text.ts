// Arguments of calls are objects on this wire and texts in items. Texts are taken over as they are written: a parsed
// number loses digits, and keys that look like numbers change their order.

/** Returns a JSON text without white space between its tokens. */
export function compactJson(text: string): string {
  let compact = '';
  for (const token of tokensOf(text)) compact += token;
  return compact;
}

/** Returns the texts of the arguments of the calls in a line, in the order of the calls. */
export function argumentTexts(line: string): readonly string[] {
  const found: string[] = [];
  const keys: string[] = [];
  let last = '';
  let open: { readonly depth: number; text: string } | undefined;
  for (const token of tokensOf(line)) {
    const isEnd = token === '}' || token === ']';
    if (open !== undefined && keys.length === open.depth && (isEnd || token === ',')) {
      found.push(open.text);
      open = undefined;
    } else if (open !== undefined) open.text += token;
    else if (token === ':' && isPlaceOfArguments(keys, last)) open = { depth: keys.length, text: '' };
    if (isEnd) keys.pop();
    // The key at which an object or a list stands.
    else if (token === '{' || token === '[') keys.push(last);
    last = token === ':' ? last : token;
  }
  return found;
}

/** Reports whether a key in these objects and lists is that of the arguments of a call. */
function isPlaceOfArguments(keys: readonly string[], key: string): boolean {
  if (key !== '"arguments"' || keys.length !== PLACE_DEPTH) return false;
  return keys[1] === '"message"' && keys[2] === '"tool_calls"' && keys[4] === '"function"';
}

const PLACE_DEPTH = 5;

function* tokensOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = endOfToken(text, at);
    if (!WHITE_SPACE.test(text.charAt(at))) yield text.slice(at, end);
    at = end;
  }
}

const WHITE_SPACE = /\s/;
const PUNCTUATION = '{}[]:,';
const WORD = /[^\s{}[\]:,"]+/y;

function endOfToken(text: string, from: number): number {
  const first = text.charAt(from);
  if (first === '"') return endOfString(text, from);
  if (PUNCTUATION.includes(first) || WHITE_SPACE.test(first)) return from + 1;
  WORD.lastIndex = from;
  return WORD.test(text) ? WORD.lastIndex : from + 1;
}

/** Returns where a string ends. A quote behind an odd number of backslashes belongs to the string. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charAt(at - 1 - slashes) === '\\') slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}
