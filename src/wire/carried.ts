import type { ReasoningItem } from '../base/item.ts';
import { isRecord } from '../base/json-schema.ts';

/**
 * What a server of the chat wire must get back as it came, and no field of an item holds. It travels in the place where
 * a reasoning item has what its server sealed, and is told from that by its beginning.
 */
export interface Carried {
  /** The `reasoning_details` of the message. */
  readonly details: readonly unknown[];
  /** The `extra_content` of its calls, by their ids. */
  readonly extra: ReadonlyMap<string, unknown>;
}

const MARK = 'oxbow:';

/** Whether a reasoning item carries something of ours: no server can open it. */
export function isCarried({ encrypted_content }: Pick<ReasoningItem, 'encrypted_content'>): boolean {
  return encrypted_content?.startsWith(MARK) ?? false;
}

/** The `encrypted_content` that carries it. */
export function encodeCarried({ details, extra }: Carried): string {
  const json = JSON.stringify({ details, extra: Object.fromEntries(extra) });
  return MARK + Buffer.from(json).toString('base64url');
}

/** What an `encrypted_content` carries; undefined when it is not ours or was damaged. */
export function decodeCarried(encrypted: string | null): Carried | undefined {
  if (!encrypted?.startsWith(MARK)) return undefined;
  try {
    const json = Buffer.from(encrypted.slice(MARK.length), 'base64url').toString();
    const value: unknown = JSON.parse(json);
    if (!isRecord(value) || !Array.isArray(value.details) || !isRecord(value.extra)) return undefined;
    return { details: value.details, extra: new Map(Object.entries(value.extra)) };
  } catch {
    return undefined;
  }
}
