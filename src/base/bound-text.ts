/** Maximum length of a text for the model. A token counts as four bytes. */
export interface TextLimit {
  readonly unit: 'bytes' | 'tokens';
  readonly limit: number;
}

const BYTES_PER_TOKEN = 4;

export function limitBytes(limit: TextLimit): number {
  return limit.unit === 'tokens' ? limit.limit * BYTES_PER_TOKEN : limit.limit;
}

export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Returns the smaller of two limits. */
export function tighter(a: TextLimit, b: TextLimit): TextLimit {
  return limitBytes(b) < limitBytes(a) ? b : a;
}

/**
 * Cuts the middle out of a text that is too long, on character boundaries. A note in its place says how much was cut.
 */
export function cutMiddle(text: string, limit: TextLimit): string {
  const budget = limitBytes(limit);
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= budget) return text;
  const headEnd = boundaryBefore(bytes, Math.floor(budget / 2));
  const tailStart = boundaryAfter(bytes, bytes.length - Math.ceil(budget / 2));
  const decode = (from: number, to: number) => new TextDecoder().decode(bytes.subarray(from, to));
  const gone =
    limit.unit === 'tokens'
      ? `${tokensOf(tailStart - headEnd)} tokens`
      : `${characterCount(bytes.subarray(headEnd, tailStart))} chars`;
  return `${decode(0, headEnd)}…${gone} truncated…${decode(tailStart, bytes.length)}`;
}

/** Does the same as `cutMiddle`, and puts the original size before a text that was cut. */
export function cutMiddleWithWarning(text: string, limit: TextLimit): string {
  const cut = cutMiddle(text, limit);
  if (cut === text) return text;
  const tokens = tokensOf(new TextEncoder().encode(text).length);
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return `Warning: truncated output (original token count: ${tokens})\nTotal output lines: ${lines}\n\n${cut}`;
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

function boundaryBefore(bytes: Uint8Array, at: number): number {
  let boundary = at;
  while (boundary > 0 && isContinuation(bytes[boundary])) boundary--;
  return boundary;
}

function boundaryAfter(bytes: Uint8Array, at: number): number {
  let boundary = at;
  while (boundary < bytes.length && isContinuation(bytes[boundary])) boundary++;
  return boundary;
}

function characterCount(bytes: Uint8Array): number {
  return bytes.reduce((count, byte) => (isContinuation(byte) ? count : count + 1), 0);
}
