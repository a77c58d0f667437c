/** Returns the values of a valid JSON list, as they are written. */
export function itemsOf(list: string): readonly string[] {
  return partsOf(list);
}

/** Returns the values of a valid JSON object by their keys, as they are written: no digit of a number is lost. */
export function membersOf(object: string): ReadonlyMap<string, string> {
  return new Map(partsOf(object).map(member));
}

function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '{' || char === '[') {
      if (++depth === 1) start = at + 1;
    } else if (char === '}' || char === ']') {
      if (--depth === 0) parts.push(text.slice(start, at).trim());
    } else if (char === ',' && depth === 1) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return parts.length === 1 && parts[0] === '' ? [] : parts;
}

function member(part: string): [key: string, value: string] {
  const end = endOfString(part, 0) + 1;
  return [JSON.parse(part.slice(0, end)), part.slice(part.indexOf(':', end) + 1).trim()];
}

/** Returns the index of the quotation mark that ends the string at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
