import type { ReasoningItem } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';

/**
 * State that a server must get back unchanged and that no field of an item holds. It is stored as the
 * `encrypted_content` of a reasoning item. A prefix distinguishes it from content that a server encrypted. Clients whose
 * wire has another field for sealed content get it there.
 */
export interface OpaqueState {
  /** Reasoning itself, for clients that may send back nothing else. */
  readonly text?: string;
  /** The `reasoning_details` of the message. */
  readonly details: readonly unknown[];
  /** The `extra_content` of the calls, by their ids. */
  readonly extra: ReadonlyMap<string, unknown>;
  /** Signature under the reasoning. Empty if its server signs nothing. */
  readonly signature?: string;
  /** Reasoning that only its server can read. */
  readonly redacted?: string;
  /** The `encrypted_content` of a server, for clients that return it under another name. */
  readonly encrypted?: string;
}

const MARK = 'oxbow:';
/** Prefix of state that a gateway sent to a client. For that client, it is content that its server encrypted. */
const SEALED_MARK = `${MARK}sealed:`;

/** Reports whether a reasoning item carries opaque state of ours. Of all servers, only a gateway can read it. */
export function hasOpaqueState({ encrypted_content }: Encrypted): boolean {
  return encrypted_content?.startsWith(MARK) ?? false;
}

/** Reports whether the state came from a gateway, which wants it back. */
export function isSealed({ encrypted_content }: Encrypted): boolean {
  return encrypted_content?.startsWith(SEALED_MARK) ?? false;
}

type Encrypted = Pick<ReasoningItem, 'encrypted_content'>;

/**
 * Returns reasoning for another server than the one that made it, with the text alone. The mark stays, so that servers
 * that refuse such reasoning do not get it.
 */
export function withoutOpaqueState(item: ReasoningItem): ReasoningItem {
  if (!hasOpaqueState(item)) return item;
  const { text } = decodeOpaqueState(item.encrypted_content) ?? {};
  const state = { ...(text !== undefined && { text }), details: [], extra: new Map() };
  return { ...item, encrypted_content: encodeOpaqueState(state) };
}

/** Encodes the state as `encrypted_content`. The state is sealed if it includes the reasoning itself. */
export function encodeOpaqueState(state: Partial<OpaqueState>): string {
  const { text, details = [], extra = new Map(), ...sealed } = state;
  const json = JSON.stringify({ text, details, extra: Object.fromEntries(extra), ...sealed });
  return (text === undefined ? MARK : SEALED_MARK) + Buffer.from(json).toString('base64url');
}

/** Decodes the state in an `encrypted_content`; undefined if it is not ours or is damaged. */
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
  const { details, extra } = value;
  const texts = TEXTS.flatMap((name) => (typeof value[name] === 'string' ? [[name, value[name]]] : []));
  return { details, extra: new Map(Object.entries(extra)), ...Object.fromEntries(texts) };
}

const TEXTS = ['text', 'signature', 'redacted', 'encrypted'] as const;
