import type { ReasoningItem } from '../../base/item.ts';
import type { Fields } from '../fields/request-fields.ts';
import { decodeOpaqueState, encodeOpaqueState, hasOpaqueState, type OpaqueState } from '../opaque/opaque-state.ts';

/** A block with reasoning: its text with a signature, or data that only its server can read. */
export type ReasoningBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string };

type UnnamedReasoning = Omit<ReasoningItem, 'id'>;

/** Returns the reasoning that a server sent. Its signature or data goes back to that server unchanged. */
export function serverReasoning(text: string, sealed: Pick<OpaqueState, 'signature' | 'redacted'>): UnnamedReasoning {
  return reasoning(text, encodeOpaqueState(sealed));
}

/** Returns the reasoning in a block that a client sent; undefined for another block. */
export function clientReasoning({ type, thinking, signature, data }: Fields): UnnamedReasoning | undefined {
  if (type === 'thinking') {
    const [text, signed] = [textOf(thinking), textOf(signature)];
    return unsealed(text, signed) ?? serverReasoning(text, { signature: signed });
  }
  if (type !== 'redacted_thinking') return undefined;
  return unsealed('', textOf(data)) ?? serverReasoning('', { redacted: textOf(data) });
}

/** Returns the reasoning of a server of another wire, which a client returned with our state; undefined for another. */
function unsealed(text: string, sealed: string): UnnamedReasoning | undefined {
  const state = decodeOpaqueState(sealed);
  if (state === undefined) return undefined;
  if (sealed === PLAIN) return reasoning(text, null);
  if (state.encrypted === undefined) return reasoning(text, sealed);
  const summary = text === '' ? [] : [{ type: 'summary_text' as const, text }];
  return { type: 'reasoning', summary, content: null, encrypted_content: state.encrypted };
}

/**
 * Returns the block for a client; undefined if there is nothing to send. Clients send it back as it is, so it carries
 * what a server of another wire needs: its encrypted content, or our state.
 */
export function clientBlock(item: ReasoningItem): ReasoningBlock | undefined {
  const own = serverBlock(item);
  if (own !== undefined) return own;
  const text = rawText(item) || summaryText(item);
  const { encrypted_content: encrypted } = item;
  if (text !== '') return { type: 'thinking', thinking: text, signature: sealedFor(item) };
  return encrypted === null ? undefined : { type: 'redacted_thinking', data: sealedFor(item) };
}

/** Returns the block as the server sent it; undefined if no server of this wire made it, so that none would accept it. */
export function serverBlock(item: ReasoningItem): ReasoningBlock | undefined {
  const state = decodeOpaqueState(item.encrypted_content);
  if (state?.redacted !== undefined) return { type: 'redacted_thinking', data: state.redacted };
  if (state?.signature === undefined) return undefined;
  return { type: 'thinking', thinking: rawText(item) || state.text || summaryText(item), signature: state.signature };
}

/** Signature of reasoning that carries nothing else. Clients drop reasoning without a signature. */
export const PLAIN = encodeOpaqueState({});

function sealedFor(item: ReasoningItem): string {
  const { encrypted_content: encrypted } = item;
  if (encrypted === null) return PLAIN;
  return hasOpaqueState(item) ? encrypted : encodeOpaqueState({ encrypted });
}

/** Reports whether a signature or data is ours, so that no server can read it. */
export function isOurs(sealed: unknown): boolean {
  return typeof sealed === 'string' && hasOpaqueState({ encrypted_content: sealed });
}

/** Returns the reasoning itself. */
export function rawText({ content }: ReasoningItem): string {
  return (content ?? []).map(({ text }) => text).join('');
}

/** Returns the summary, which may say less than the reasoning. */
export function summaryText({ summary }: ReasoningItem): string {
  return (summary ?? []).map(({ text }) => text).join('\n\n');
}

function reasoning(text: string, encrypted_content: string | null): UnnamedReasoning {
  const content = text === '' ? null : [{ type: 'reasoning_text' as const, text }];
  return { type: 'reasoning', summary: [], content, encrypted_content };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
