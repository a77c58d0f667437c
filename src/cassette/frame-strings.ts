/** A string of a frame: the characters between its quotes, as they are written. */
export interface FrameString {
  readonly start: number;
  readonly end: number;
  /** The same for the strings of other frames that go on with this one, as the deltas of one message do. */
  readonly stream: string;
}

/**
 * The strings in the frames of an event stream, or in the lines of one with a JSON object a line, in order. What is no
 * JSON is passed over: the text may end anywhere.
 */
export function frameStrings(text: string): FrameString[] {
  return [...text.matchAll(FRAME_LINE)].flatMap((line) => {
    const { index, 0: whole, 1: before = '' } = line;
    return stringsOf(whole.slice(before.length), index + before.length);
  });
}

const FRAME_LINE = /^((?:data:)?[ \t]*)[{[].*$/gm;

/** A string with its quotes, one of the other characters that matter, or a number. */
const TOKEN = /"([^"\\]*(?:\\.[^"\\]*)*)"|[{}[\],:]|-?\d[\d.eE+-]*/g;

/** Fields that tell which of several messages or calls a frame belongs to. */
const STREAM_FIELDS = new Set(['index', 'output_index', 'content_index', 'summary_index', 'item_id']);

interface Container {
  readonly array: boolean;
  /** The place in it where the next value goes. */
  place: string;
  /** Whether the next string of an object is a value. */
  valueNext: boolean;
  position: number;
  /** What its `STREAM_FIELDS` say. */
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
  // A label may stand after the string that it is about.
  return found.map(({ start, end, path, inside: containers }) => ({
    start,
    end,
    stream: `${path} ${containers.map(({ label }) => label).join()}`,
  }));
}

/** Goes one token on. Whether the token is a string that is a value. */
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

/** Further in, a type may stand in the first frame of a stream only. */
function isLabel(inside: readonly Container[], { array, place }: Container): boolean {
  return !array && (STREAM_FIELDS.has(place) || (place === 'type' && inside.length === 1));
}

function pathOf(inside: readonly Container[]): string {
  return inside.map(({ array, position, place }) => (array ? position : place)).join('.');
}
