import type { Key } from './input-event.ts';

/** Modifiers that were held with a key. */
export interface KeyModifiers {
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

export const NO_MODIFIERS: KeyModifiers = { ctrl: false, alt: false, shift: false };

/** Final letters of `CSI` and `SS3` sequences of keys. */
export const LETTER_KEYS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
};

/** Numbers of `CSI number ~`. */
export const NUMBER_KEYS: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'page_up',
  6: 'page_down',
  7: 'home',
  8: 'end',
  ...numbered([11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24], 1),
};

/** Characters of the keypad in application mode, after `SS3`. */
export const KEYPAD_LETTERS: Readonly<Record<string, string>> = Object.fromEntries(
  [...'*+,-./0123456789'].map((character, at) => [String.fromCharCode(0x6a + at), character]),
);

/** Codes of keys without a character in the kitty keyboard protocol, and the characters that have a name. */
const CODE_KEYS: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  13: 'enter',
  27: 'escape',
  127: 'backspace',
  57344: 'escape',
  57345: 'enter',
  57346: 'tab',
  57347: 'backspace',
  57348: 'insert',
  57349: 'delete',
  57350: 'left',
  57351: 'right',
  57352: 'up',
  57353: 'down',
  57354: 'page_up',
  57355: 'page_down',
  57356: 'home',
  57357: 'end',
  57414: 'enter',
  57417: 'left',
  57418: 'right',
  57419: 'up',
  57420: 'down',
  57421: 'page_up',
  57422: 'page_down',
  57423: 'home',
  57424: 'end',
  57425: 'insert',
  57426: 'delete',
  ...numbered(
    Array.from({ length: 12 }, (_, at) => 57364 + at),
    1,
  ),
};

/** Characters of the keypad in the kitty keyboard protocol, from 0 on. */
const KEYPAD_FIRST = 57399;
const KEYPAD = [...'0123456789./*-+'];
const KEYPAD_MORE: Readonly<Record<number, string>> = { 57415: '=', 57416: ',' };

/** Codes that the kitty keyboard protocol uses for keys without a character. */
const isFunctional = (code: number) => code >= 57344 && code <= 63743;

/** Returns a key that types nothing. */
export const namedKey = (name: string, modifiers: KeyModifiers): Key => ({
  name,
  text: '',
  ctrl: modifiers.ctrl,
  alt: modifiers.alt,
  shift: modifiers.shift,
});

/** Returns the key of a character that came as such. */
export const textKey = (text: string, shift = false): Key => ({ name: 'text', text, ctrl: false, alt: false, shift });

/**
 * Returns the key of a code point with modifiers, or undefined for a key without a use here, such as Caps Lock.
 * `typed` is the text that the terminal says the key types, `shifted` the code point of the key with Shift.
 */
export function keyOfCode(code: number, modifiers: KeyModifiers, shifted?: number, typed = ''): Key | undefined {
  const name = CODE_KEYS[code];
  if (name !== undefined) return namedKey(name, modifiers);
  const character =
    KEYPAD[code - KEYPAD_FIRST] ?? KEYPAD_MORE[code] ?? (isFunctional(code) ? undefined : characterOf(code));
  if (character === undefined) return undefined;
  if (modifiers.ctrl || modifiers.alt) return chord(character, modifiers);
  if (typed !== '') return textKey(typed, modifiers.shift);
  const upper = shifted === undefined ? upperCase(character) : (characterOf(shifted) ?? character);
  return textKey(modifiers.shift ? upper : character, modifiers.shift);
}

/** Returns the key of a control byte. */
export function controlKey(byte: number, alt: boolean): Key | undefined {
  const name = CODE_KEYS[byte];
  if (name !== undefined) return namedKey(name, { ...NO_MODIFIERS, alt });
  // Without a protocol a terminal sends Ctrl with a character as the lowest five bits of the character.
  const character = byte === 0 ? ' ' : String.fromCharCode(byte + (byte < 27 ? 0x60 : 0x40));
  return namedKey(character, { ctrl: true, alt, shift: false });
}

/**
 * Returns the key of a character with Ctrl or Alt. Terminals without a protocol send one byte for Ctrl-/, Ctrl-Shift-- and
 * Ctrl-_, and Escape for Ctrl-[: those keys have the same name with a protocol.
 */
export function chord(character: string, modifiers: KeyModifiers): Key {
  const name = character.toLowerCase();
  if (modifiers.ctrl && character === '[') return namedKey('escape', { ...modifiers, ctrl: false });
  if (modifiers.ctrl && (character === '/' || (character === '-' && modifiers.shift)))
    return namedKey('_', { ...modifiers, shift: false });
  return namedKey(name, { ...modifiers, shift: modifiers.shift || name !== character });
}

/** Returns the character of a code point, or undefined if it is a control character or none. */
export function characterOf(code: number): string | undefined {
  const isControl = code < 0x20 || (code >= 0x7f && code <= 0x9f);
  const isCharacter = Number.isInteger(code) && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isControl || !isCharacter ? undefined : String.fromCodePoint(code);
}

function upperCase(character: string): string {
  const upper = character.toUpperCase();
  return upper.length === character.length ? upper : character;
}

function numbered(codes: readonly number[], first: number): Record<number, string> {
  return Object.fromEntries(codes.map((code, at) => [code, `f${first + at}`]));
}
