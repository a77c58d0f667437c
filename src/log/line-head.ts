/** The beginning of a line, read without parsing the line. */
export interface LineHead {
  readonly type: string;
  /** Undefined in older files. */
  readonly ordinal: number | undefined;
  /** The `type` or `kind` at the beginning of the payload. */
  readonly kind: string | undefined;
}

/** Most bytes of a line that its head may need. */
export const HEAD_BYTES = 192;

/**
 * Returns the head of a line that Codex or Oxbow wrote; undefined if the line must be parsed. Long files are scanned
 * with this function. It compares bytes, since a pattern would need texts.
 */
export function lineHead(bytes: Buffer, start: number, end: number): LineHead | undefined {
  const limit = Math.min(end, start + HEAD_BYTES);
  let at = skipTime(bytes, start, limit);
  if (at < 0) return undefined;
  let ordinal: number | undefined;
  if (isAt(bytes, at, ORDINAL)) {
    at += ORDINAL.length;
    const first = at;
    for (ordinal = 0; isDigit(bytes[at]); at++) ordinal = ordinal * 10 + ((bytes[at] ?? 0) - ZERO);
    if (at === first || at - first > 15 || bytes[at++] !== COMMA) return undefined;
  }
  if (!isAt(bytes, at, TYPE)) return undefined;
  const type = wordAt(bytes, at + TYPE.length, limit);
  if (type === undefined) return undefined;
  at += TYPE.length + type.length;
  if (at + PAYLOAD.length > limit || !isAt(bytes, at, PAYLOAD)) return undefined;
  at += PAYLOAD.length;
  const isNamed = isAt(bytes, at, TYPE) || isAt(bytes, at, KIND);
  return { type, ordinal, kind: isNamed ? wordAt(bytes, at + TYPE.length, limit) : undefined };
}

const TIME = Buffer.from('{"timestamp":"');
const ORDINAL = Buffer.from('"ordinal":');
const TYPE = Buffer.from('"type":"');
const KIND = Buffer.from('"kind":"');
const PAYLOAD = Buffer.from('","payload":{');
const [QUOTE, BACKSLASH, COMMA, ZERO] = [0x22, 0x5c, 0x2c, 0x30];
const LONGEST_TIME = 40;
const LONGEST_WORD = 40;

/** Returns the index after the time; -1 if the line does not begin with a time. */
function skipTime(bytes: Buffer, start: number, limit: number): number {
  if (!isAt(bytes, start, TIME)) return -1;
  const last = Math.min(limit, start + TIME.length + LONGEST_TIME);
  for (let at = start + TIME.length; at < last; at++) {
    if (bytes[at] === BACKSLASH) return -1;
    if (bytes[at] === QUOTE) return bytes[at + 1] === COMMA ? at + 2 : -1;
  }
  return -1;
}

function isAt(bytes: Buffer, at: number, wanted: Buffer): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
}

/** Returns a word of small letters, dots and underscores that ends with a quote. */
function wordAt(bytes: Buffer, start: number, limit: number): string | undefined {
  const last = Math.min(limit, start + LONGEST_WORD);
  for (let at = start; at < last; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return at === start ? undefined : textOf(bytes, start, at);
    if (!((byte >= 0x61 && byte <= 0x7a) || byte === 0x5f || byte === 0x2e)) return undefined;
  }
  return undefined;
}

/**
 * Returns bytes as text. Making a text costs more than anything else here, so the texts of common words are made in
 * advance.
 */
function textOf(bytes: Buffer, start: number, end: number): string {
  const known = WORDS.get(keyOf(bytes, start, end));
  return known && isAt(bytes, start, known.bytes) ? known.text : bytes.toString('latin1', start, end);
}

function keyOf(bytes: Buffer, start: number, end: number): number {
  return ((end - start) << 16) | ((bytes[start] ?? 0) << 8) | (bytes[end - 1] ?? 0);
}

const WORDS = new Map(
  [
    ...['response_item', 'event_msg', 'turn_context', 'compacted', 'oxbow', 'world_state', 'token_usage_record'],
    ...['message', 'reasoning', 'function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output'],
    ...['item_completed', 'token_count', 'task_started', 'task_complete', 'thread_settings_applied', 'agent_message'],
    ...['request.started', 'request.ended', 'call.started', 'call.finished'],
  ].map((text) => {
    const bytes = Buffer.from(text);
    return [keyOf(bytes, 0, bytes.length), { text, bytes }] as const;
  }),
);
