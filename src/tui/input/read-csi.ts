import type { InputEvent, TerminalReply } from './input-event.ts';
import { characterOf, type KeyModifiers, keyOfCode, LETTER_KEYS, NO_MODIFIERS, NUMBER_KEYS, namedKey } from './keys.ts';

/** Numbers of a sequence: parameters, each with its parts. A missing number is NaN. */
type Parameters = readonly (readonly number[])[];

type CsiReader = (parameters: Parameters, hasAlt: boolean) => InputEvent | undefined;

/**
 * Returns the event of a sequence that begins with `CSI`, or undefined if it says nothing of use. `body` is all between
 * the introducer and the final byte. `hasAlt` says that another Escape stood in front, which is how some terminals send Alt.
 */
export function readCsi(body: string, final: string, hasAlt: boolean): InputEvent | undefined {
  const [, prefix = '', numbers = '', intermediate = ''] = /^([<=>?]?)([0-9;:]*)([ -/]*)$/.exec(body) ?? [body];
  const reader = READERS[`${prefix}${intermediate}${final}`];
  if (reader === undefined) return undefined;
  return reader(
    numbers
      .split(';')
      .map((parameter) => parameter.split(':').map((part) => (part === '' ? Number.NaN : Number(part)))),
    hasAlt,
  );
}

/** Meanings of sequences, by their prefix, their intermediate bytes and their final byte. */
const READERS: Readonly<Record<string, CsiReader>> = {
  ...Object.fromEntries(Object.entries(LETTER_KEYS).map(([letter, name]) => [letter, letterKey(name)])),
  // rxvt.
  a: (_, hasAlt) => press('up', { ...NO_MODIFIERS, alt: hasAlt, shift: true }),
  b: (_, hasAlt) => press('down', { ...NO_MODIFIERS, alt: hasAlt, shift: true }),
  c: (_, hasAlt) => press('right', { ...NO_MODIFIERS, alt: hasAlt, shift: true }),
  d: (_, hasAlt) => press('left', { ...NO_MODIFIERS, alt: hasAlt, shift: true }),
  '^': numberKeyWith({ ctrl: true }),
  $: numberKeyWith({ shift: true }),
  '@': numberKeyWith({ ctrl: true, shift: true }),
  Z: (_, hasAlt) => press('tab', { ...NO_MODIFIERS, alt: hasAlt, shift: true }),
  R: readR,
  '~': readTilde,
  u: readCodeKey,
  I: () => ({ type: 'focus', focused: true }),
  O: () => ({ type: 'focus', focused: false }),
  '?R': cursorReport,
  '?u': (parameters) => reply({ kind: 'keyboard', flags: first(parameters, 0, 0) }),
  '?c': () => reply({ kind: 'attributes' }),
  '?$y': (parameters) => reply({ kind: 'mode', mode: first(parameters, 0, 0), state: first(parameters, 1, 0) }),
};

/** Returns the first part of a parameter. */
function first(parameters: Parameters, at: number, otherwise: number): number {
  const value = parameters[at]?.[0] ?? Number.NaN;
  return Number.isNaN(value) ? otherwise : value;
}

const reply = (given: TerminalReply): InputEvent => ({ type: 'reply', reply: given });

const press = (name: string, modifiers: KeyModifiers): InputEvent => ({ type: 'key', key: namedKey(name, modifiers) });

function letterKey(name: string): CsiReader {
  return (parameters, hasAlt) => {
    const modifiers = modifiersOf(parameters[1], hasAlt);
    return modifiers && press(name, modifiers);
  };
}

function numberKeyWith(held: Partial<KeyModifiers>): CsiReader {
  return (parameters, hasAlt) => {
    const name = NUMBER_KEYS[first(parameters, 0, 0)];
    return name === undefined ? undefined : press(name, { ...NO_MODIFIERS, alt: hasAlt, ...held });
  };
}

/**
 * Reads a cursor report, or F3. Shift-F3 in xterm and a cursor in the first row look alike (`CSI 1;2R`): two numbers are
 * always a report, since a lost report costs more than a key without a meaning.
 */
function readR(parameters: Parameters, hasAlt: boolean): InputEvent | undefined {
  return parameters.length > 1 ? cursorReport(parameters) : press('f3', { ...NO_MODIFIERS, alt: hasAlt });
}

function cursorReport(parameters: Parameters): InputEvent {
  return reply({ kind: 'cursor', row: first(parameters, 0, 1), column: first(parameters, 1, 1) });
}

function readTilde(parameters: Parameters, hasAlt: boolean): InputEvent | undefined {
  const modifiers = modifiersOf(parameters[1], hasAlt);
  if (modifiers === undefined) return undefined;
  const number = first(parameters, 0, 0);
  // Keys with modifiers of xterm and tmux: `CSI 27 ; modifiers ; code ~`.
  if (number === 27) return pressCode(keyOfCode(first(parameters, 2, 0), modifiers));
  const name = NUMBER_KEYS[number];
  return name === undefined ? undefined : press(name, modifiers);
}

/** Reads a key of the kitty keyboard protocol: `CSI code:shifted:base ; modifiers:event ; text u`. */
function readCodeKey(parameters: Parameters, hasAlt: boolean): InputEvent | undefined {
  const modifiers = modifiersOf(parameters[1], hasAlt);
  if (modifiers === undefined) return undefined;
  const shifted = parameters[0]?.[1];
  const typed = (parameters[2] ?? []).filter(isTyped).map((code) => String.fromCodePoint(code));
  const isShiftedKnown = shifted !== undefined && !Number.isNaN(shifted);
  return pressCode(keyOfCode(first(parameters, 0, 0), modifiers, isShiftedKnown ? shifted : undefined, typed.join('')));
}

const isTyped = (code: number) => characterOf(code) !== undefined;

function pressCode(key: ReturnType<typeof keyOfCode>): InputEvent | undefined {
  return key && { type: 'key', key };
}

const SHIFT = 1;
const ALT = 2;
const CTRL = 4;
const SUPER_AND_HYPER = 8 | 16;
const META = 32;
const RELEASED = 3;

/**
 * Returns the modifiers of a parameter. Returns undefined for the release of a key, and for keys of the window system,
 * which must not act as the key without the modifier.
 */
export function modifiersOf(parameter: readonly number[] = [], hasAlt: boolean): KeyModifiers | undefined {
  const [value = Number.NaN, event] = parameter;
  const held = Number.isNaN(value) ? 0 : Math.max(0, value - 1);
  if ((held & SUPER_AND_HYPER) !== 0 || event === RELEASED) return undefined;
  return { ctrl: (held & CTRL) !== 0, alt: hasAlt || (held & (ALT | META)) !== 0, shift: (held & SHIFT) !== 0 };
}
