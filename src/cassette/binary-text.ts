const BLOCK = 8192;

/** Bytes as a text with one character for each, so that the tools for texts work on bytes that are none. */
export function toBinaryText(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += BLOCK) text += String.fromCharCode(...bytes.subarray(at, at + BLOCK));
  return text;
}

/** The bytes that `toBinaryText` was given. */
export function fromBinaryText(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
