import type { ReasoningItem } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';

/**
 * What a server of the chat wire must get back as it came, and no field of an item holds. It travels in the place where
 * a reasoning item has what its server sealed, and is told from that by its beginning.
 */
export interface OpaqueState {
  /** The reasoning itself, where it goes to a client that may bring back nothing else. */
  readonly text?: string;
  /** The `reasoning_details` of the message. */
  readonly details: readonly unknown[];
  /** The `extra_content` of its calls, by their ids. */
  readonly extra: ReadonlyMap<string, unknown>;
}

const MARK = 'oxbow:';
/** What a gateway gave a client begins with this: to whoever gets it, it is something that their server sealed. */
const SEALED_MARK = `${MARK}sealed:`;

/** Whether a reasoning item carries something of ours: no server can open it but a gateway. */
export function hasOpaqueState({ encrypted_content }: Encrypted): boolean {
  return encrypted_content?.startsWith(MARK) ?? false;
}

/** Whether it came from a gateway, which wants it back. */
export function isSealed({ encrypted_content }: Encrypted): boolean {
  return encrypted_content?.startsWith(SEALED_MARK) ?? false;
}

type Encrypted = Pick<ReasoningItem, 'encrypted_content'>;

/** The `encrypted_content` that carries it; sealed where the reasoning itself is part of it. */
export function encodeOpaqueState({ text, details, extra }: OpaqueState): string {
  const json = JSON.stringify({ text, details, extra: Object.fromEntries(extra) });
  return (text === undefined ? MARK : SEALED_MARK) + Buffer.from(json).toString('base64url');
}

/** What an `encrypted_content` carries; undefined when it is not ours or was damaged. */
export function decodeOpaqueState(encrypted: string | null): OpaqueState | undefined {
  if (!encrypted?.startsWith(MARK)) return undefined;
  try {
    const mark = encrypted.startsWith(SEALED_MARK) ? SEALED_MARK : MARK;
    const json = Buffer.from(encrypted.slice(mark.length), 'base64url').toString();
    return readOpaqueState(JSON.parse(json));
  } catch {
    return undefined;
  }
}

function readOpaqueState(value: unknown): OpaqueState | undefined {
  if (!isRecord(value) || !Array.isArray(value.details) || !isRecord(value.extra)) return undefined;
  const { text, details, extra } = value;
  return { ...(typeof text === 'string' && { text }), details, extra: new Map(Object.entries(extra)) };
}
