/**
 * Returns a text in the forms in which a model may repeat parts of it: as it is, without the marks at the beginning of
 * its lines, without the escapes of strings, and with its entities decoded, in every order.
 */
export function writtenForms(text: string): ReadonlySet<string> {
  const forms = new Set([text]);
  for (let from = [text], depth = 0; depth < MOST_LAYERS && from.length > 0; depth++) {
    const next = new Set(from.flatMap((form) => CHANGES.map((change) => change(form))));
    from = [...next].filter((form) => !forms.has(form));
    for (const form of from) forms.add(form);
  }
  return forms;
}

/** A file in a string of JSON in a string of JSON, with numbered lines. */
const MOST_LAYERS = 3;

const CHANGES: readonly ((text: string) => string)[] = [unmarked, unescaped, decoded];

/** Removes line numbers, the marks of diffs, quotes and comments, and indentation. */
function unmarked(text: string): string {
  return text.replace(LINE_MARKS, '');
}

const LINE_MARKS = /^[ \t]*(?:(?:\d+(?:[:|→│-]|(?=[ \t]|$))|[>|+#*%;│-]+|\/\/+)[ \t]*)*/gm;

function unescaped(text: string): string {
  return text.includes('\\') ? text.replace(ESCAPES, readEscape) : text;
}

const ESCAPES = /\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([nrt])|([^\w\s]))/gi;
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function readEscape(all: string, wide?: string, short?: string, control?: string, other?: string): string {
  if (wide !== undefined || short !== undefined) return String.fromCharCode(Number.parseInt(wide ?? short ?? '', 16));
  return (control === undefined ? other : CONTROLS[control.toLowerCase()]) ?? all;
}

function decoded(text: string): string {
  return text.includes('&') ? text.replace(ENTITIES, readEntity) : text;
}

const ENTITIES = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|quot|apos|amp|nbsp|lbrack|rbrack|lbrace|rbrace));/gi;
const NAMED: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
  nbsp: ' ',
  lbrack: '[',
  rbrack: ']',
  lbrace: '{',
  rbrace: '}',
};

function readEntity(all: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? all;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : all;
}
