import type { Compat } from '../../base/wire.ts';
import { hashText } from './hash-text.ts';

/** Mapping from the id of a call to the id that is sent. */
export type SentId = (callId: string) => string;

/**
 * Returns the mapping of call ids for one request. An id that the server accepts is kept. Each id has one sent form,
 * and no two ids share it. Forms are assigned in the order of the history, so that they stay the same as the history
 * grows.
 */
export function sentIds(style: Compat['callIds']): SentId {
  return style === 'nine' ? createNineIds() : shortId;
}

/**
 * Returns a function that returns the id to send for the next call of a history, for servers that accept only letters,
 * digits, underscores and dashes, and no id twice. Other servers may use an id in several responses. The ids stay the
 * same as the history grows.
 */
export function createUniqueIds(): SentId {
  const taken = new Set<string>();
  return (callId) => {
    const plain = PLAIN.test(callId) ? callId : madeCallId(callId);
    let id = plain;
    for (let n = 2; taken.has(id); n++) id = madeCallId(`${plain} ${n}`);
    taken.add(id);
    return id;
  };
}

const PLAIN = /^[A-Za-z0-9_-]{1,64}$/;

/** Returns an id for a call, made of a text that no other call has. */
export function madeCallId(text: string): string {
  const digits = (seed: number) => hashText(text, seed).toString(16).padStart(14, '0');
  return `call_${digits(0)}${digits(1)}`;
}

/** The longest id that servers accept. */
const MAX_LENGTH = 64;

function shortId(callId: string): string {
  return callId.length > MAX_LENGTH ? madeCallId(callId) : callId;
}

const NINE = /^[A-Za-z0-9]{9}$/;

function createNineIds(): SentId {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  return (callId) => {
    const known = names.get(callId);
    if (known !== undefined) return known;
    let name = NINE.test(callId) ? callId : nineDigits(callId, 0);
    for (let seed = 1; taken.has(name); seed++) name = nineDigits(callId, seed);
    names.set(callId, name);
    taken.add(name);
    return name;
  };
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns a hash of a text as nine digits of base 62, which hold any 53 bits. */
function nineDigits(text: string, seed: number): string {
  let digits = '';
  let rest = hashText(text, seed);
  for (let i = 0; i < 9; i++) {
    digits = DIGITS.charAt(rest % DIGITS.length) + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
