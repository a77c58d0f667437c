/** A string of a frame: the characters between its quotes, as they are written. */
export interface FrameString {
  readonly start: number;
  readonly end: number;
  /** Label that is equal for strings of other frames that continue this one, as the deltas of one message do. */
  readonly stream: string;
}

/**
 * Returns the strings in the frames of an event stream or in lines of JSON, in order. Text that is not JSON is skipped:
 * the stream may end anywhere.
 */
export function frameStrings(text: string): FrameString[] {
  return [...text.matchAll(FRAME_LINE)].flatMap((line) => {
    const { index, 0: whole, 1: before = '' } = line;
    return stringsOf(whole.slice(before.length), index + before.length);
  });
}

const FRAME_LINE = /^((?:data:)?[ \t]*)[{[].*$/gm;

/** A string with its quotes, a structural character, or a number. */
const TOKEN = /"([^"\\]*(?:\\.[^"\\]*)*)"|[{}[\],:]|-?\d[\d.eE+-]*/g;

/** Fields that say which of several messages or calls a frame belongs to. */
const STREAM_FIELDS = new Set(['index', 'output_index', 'content_index', 'summary_index', 'item_id']);

interface Container {
  readonly array: boolean;
  /** Name of the field that gets the next value. */
  place: string;
  /** Whether the next string of an object is a value. */
  valueNext: boolean;
  position: number;
  /** Values of the `STREAM_FIELDS` seen so far. */
  label: string;
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly path: string;
  readonly inside: readonly Container[];
}

function stringsOf(json: string, offset: number): FrameString[] {
  const inside: Container[] = [];
  const found: Found[] = [];
  for (const token of json.matchAll(TOKEN)) {
    const start = offset + token.index + 1;
    const value = visit(inside, token[0], token[1]);
    if (value) found.push({ start, end: start + (token[1] ?? '').length, path: pathOf(inside), inside: [...inside] });
  }
  // A label may come after the string that it belongs to.
  return found.map(({ start, end, path, inside: containers }) => ({
    start,
    end,
    stream: `${path} ${containers.map(({ label }) => label).join()}`,
  }));
}

/** Consumes one token. Reports whether the token is a string that is a value. */
function visit(inside: Container[], token: string, content: string | undefined): boolean {
  const top = inside.at(-1);
  if (token === '{' || token === '[') {
    inside.push({ array: token === '[', place: '', valueNext: token === '[', position: 0, label: '' });
  } else if (token === '}' || token === ']') {
    inside.pop();
  } else if (top === undefined) {
    return false;
  } else if (token === ':') {
    top.valueNext = true;
  } else if (token === ',') {
    top.position++;
    top.valueNext = top.array;
  } else if (top.valueNext) {
    if (isLabel(inside, top)) top.label += `${top.place}=${token}`;
    return content !== undefined;
  } else {
    top.place = content ?? '';
  }
  return false;
}

/**
 * Reports whether a field is part of the label. Deeper types do not count: they may stand only in the first frame of a
 * stream.
 */
function isLabel(inside: readonly Container[], { array, place }: Container): boolean {
  return !array && (STREAM_FIELDS.has(place) || (place === 'type' && inside.length === 1));
}

function pathOf(inside: readonly Container[]): string {
  return inside.map(({ array, position, place }) => (array ? position : place)).join('.');
}
