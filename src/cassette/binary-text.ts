const BLOCK = 8192;

/** Returns bytes as a text with one character per byte, so that functions for texts work on bytes that are not text. */
export function toBinaryText(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += BLOCK) text += String.fromCharCode(...bytes.subarray(at, at + BLOCK));
  return text;
}

/** Returns the bytes of a text that `toBinaryText` made. */
export function fromBinaryText(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
