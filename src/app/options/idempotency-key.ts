import { createHash } from 'node:crypto';

/** Returns the key of a call in the form of a UUID, which every server accepts. It is the same whenever the call is run. */
export function idempotencyKey({ threadId, callId }: { readonly threadId: string; readonly callId: string }): string {
  const hex = createHash('sha256').update(`${threadId}\n${callId}`).digest('hex');
  const variant = (Number.parseInt(hex.charAt(16), 16) & 3) + 8;
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return [...parts, `${variant.toString(16)}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
