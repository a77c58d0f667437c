import { createPasteReader, type PasteReader, withLineFeeds } from './create-paste-reader.ts';
import { createUtf8Reader, type Utf8Reader } from './create-utf8-reader.ts';
import type { InputEvent, Key, TerminalReply } from './input-event.ts';
import {
  characterOf,
  chord,
  controlKey,
  KEYPAD_LETTERS,
  LETTER_KEYS,
  NO_MODIFIERS,
  namedKey,
  textKey,
} from './keys.ts';
import { modifiersOf, readCsi } from './read-csi.ts';
import { readString } from './read-string.ts';

/** Turns the bytes of a terminal into keys, pastes and replies. */
export interface InputParser {
  /** Reads bytes in any split. */
  push(bytes: Uint8Array): InputEvent[];
  /**
   * Whether an Escape waits for the next byte, which tells the key from the beginning of a sequence. Call `flush` 25 ms
   * later if nothing came.
   */
  readonly pending: boolean;
  /** Returns the keys that waited. */
  flush(): InputEvent[];
}

/**
 * Returns a parser. It understands the keys of terminals without a protocol, the kitty keyboard protocol, modifyOtherKeys,
 * bracketed pastes, focus and replies. It drops sequences that it does not know, so that no part of one is typed.
 */
export function createInputParser(): InputParser {
  const machine: Machine = {
    state: 'ground',
    hasAlt: false,
    introducer: '',
    body: '',
    skip: 0,
    utf8: createUtf8Reader(),
    paste: undefined,
    marksPastes: false,
    run: '',
    events: [],
  };
  return {
    push(bytes) {
      let at = 0;
      while (at < bytes.length) at = readFrom(machine, bytes, at);
      return take(machine);
    },
    get pending() {
      return waitingKeys(machine).length > 0;
    },
    flush() {
      giveUp(machine);
      return take(machine);
    },
  };
}

type State =
  | 'ground'
  /** After Escape. */
  | 'escape'
  /** After two of them: Escape twice, or Alt with a sequence. */
  | 'escape_twice'
  /** After Escape, inside a character of several bytes. */
  | 'alt_character'
  | 'csi'
  /** After `CSI [`, with which the Linux console sends F1 to F5. */
  | 'console_key'
  | 'ss3'
  /** In OSC, DCS, SOS, PM or APC. */
  | 'string'
  | 'string_escape'
  /** In the three bytes of an old mouse report. */
  | 'mouse';

interface Machine {
  state: State;
  /** Whether Escape stood in front of the sequence. */
  hasAlt: boolean;
  /** The byte after Escape that began a string. */
  introducer: string;
  /** The sequence so far, without its introducer. */
  body: string;
  /** Bytes of a mouse report that are still to come. */
  skip: number;
  readonly utf8: Utf8Reader;
  paste: PasteReader | undefined;
  /** Whether the terminal is known to mark pastes. Then the rest is typed, however fast it came. */
  marksPastes: boolean;
  /** Characters of this read that came as such, one after the other: keys, or a paste. */
  run: string;
  events: InputEvent[];
}

/** A longer sequence is dropped. Replies are far shorter. */
const LONGEST_BODY = 4096;

const ESC = 0x1b;
const DEL = 0x7f;
const BEL = 0x07;

const ESCAPE_KEY = namedKey('escape', NO_MODIFIERS);

function readFrom(machine: Machine, bytes: Uint8Array, at: number): number {
  if (machine.paste === undefined) {
    STEPS[machine.state](machine, bytes[at] ?? 0);
    return at + 1;
  }
  const pasted = machine.paste.push(bytes, at);
  if (pasted === undefined) return bytes.length;
  machine.paste = undefined;
  emit(machine, { type: 'paste', text: pasted.text });
  return pasted.next;
}

function take(machine: Machine): InputEvent[] {
  endRun(machine);
  const { events } = machine;
  machine.events = [];
  return events;
}

/** Steps of the machine: the effect of a byte in each state. */
const STEPS: Readonly<Record<State, (machine: Machine, byte: number) => void>> = {
  ground: inGround,
  escape: (machine, byte) => afterEscape(machine, byte),
  escape_twice: afterEscapes,
  alt_character: inAltCharacter,
  csi: inCsi,
  console_key: inConsoleKey,
  ss3: inSs3,
  string: inString,
  string_escape: (machine, byte) => {
    if (byte === 0x5c) endString(machine);
    else afterEscape(machine, byte);
  },
  mouse: inMouse,
};

/** Returns the keys that the bytes so far are if no other byte follows: Escape, or Alt with a character. */
function waitingKeys({ state, hasAlt, introducer, body }: Machine): Key[] {
  if (state === 'escape') return [ESCAPE_KEY];
  if (state === 'escape_twice') return [ESCAPE_KEY, ESCAPE_KEY];
  if (body !== '' || introducer === '') return [];
  const key = chord(introducer, { ...NO_MODIFIERS, alt: true });
  return hasAlt ? [ESCAPE_KEY, key] : [key];
}

/** Leaves a sequence that does not go on. */
function giveUp(machine: Machine): void {
  const keys = waitingKeys(machine);
  if (keys.length === 0) return;
  enter(machine, 'ground');
  for (const key of keys) press(machine, key);
}

/** Leaves a sequence at a byte that cannot belong to it, and reads the byte by itself. */
function abort(machine: Machine, byte: number): void {
  giveUp(machine);
  enter(machine, 'ground');
  inGround(machine, byte);
}

function enter(machine: Machine, state: State, introducer = ''): void {
  machine.state = state;
  machine.body = '';
  machine.introducer = introducer;
  if (state === 'ground' || state === 'escape') machine.hasAlt = false;
}

function emit(machine: Machine, event: InputEvent | undefined): void {
  if (event === undefined) return;
  endRun(machine);
  if (event.type === 'reply' && tellsOfMarks(event.reply)) machine.marksPastes = true;
  machine.events.push(event);
}

/** States of a mode that a program can use: on, off, always on. */
const USABLE: ReadonlySet<number> = new Set([1, 2, 3]);

/** Reports whether a reply says that the terminal marks pastes. tmux does, and does not answer the question about the mode. */
const tellsOfMarks = (reply: TerminalReply): boolean =>
  (reply.kind === 'mode' && reply.mode === 2004 && USABLE.has(reply.state)) ||
  (reply.kind === 'version' && reply.text.startsWith('tmux '));

const press = (machine: Machine, key: Key | undefined) => emit(machine, key && { type: 'key', key });

function inGround(machine: Machine, byte: number): void {
  const { utf8 } = machine;
  const isWhole = byte < 0x80;
  for (const character of isWhole ? utf8.end() : utf8.push(byte)) typed(machine, character);
  if (!isWhole) return;
  if (byte === ESC) enter(machine, 'escape');
  else if (byte === DEL || (byte < 0x20 && !RUN_CONTROLS.has(byte))) press(machine, controlKey(byte, false));
  else machine.run += String.fromCharCode(byte);
}

/** Control characters that a paste has: tab, line feed and carriage return. */
const RUN_CONTROLS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d]);

/** Adds a character of several bytes to the run. */
function typed(machine: Machine, character: string): void {
  if (characterOf(character.codePointAt(0) ?? 0) !== undefined) machine.run += character;
}

/**
 * Emits the characters of a run. In a terminal that may not mark pastes a carriage return inside it makes it a paste: that is
 * how consoles without the marks send one, and people seldom press Enter and another key within one read. Enter alone, again
 * and again, stays a key.
 */
function endRun(machine: Machine): void {
  const { run } = machine;
  if (run === '') return;
  machine.run = '';
  if (!machine.marksPastes && /\r./s.test(run) && /[^\r]/.test(run)) {
    machine.events.push({ type: 'paste', text: withLineFeeds(run) });
    return;
  }
  for (const character of run) {
    const code = character.charCodeAt(0);
    const key = code < 0x20 ? controlKey(code, false) : textKey(character);
    if (key) machine.events.push({ type: 'key', key });
  }
}

function afterEscape(machine: Machine, byte: number): void {
  const { hasAlt } = machine;
  const introduced = INTRODUCERS[byte];
  if (introduced !== undefined) {
    enter(machine, introduced, String.fromCharCode(byte));
    machine.hasAlt = hasAlt;
  } else if (byte === ESC) enter(machine, 'escape_twice');
  else if (byte < 0x20 || byte === DEL) {
    enter(machine, 'ground');
    press(machine, controlKey(byte, true));
  } else if (byte < 0x80) altCharacter(machine, String.fromCharCode(byte));
  else {
    enter(machine, 'alt_character');
    inAltCharacter(machine, byte);
  }
}

/** Bytes that begin a sequence after Escape. */
const INTRODUCERS: Readonly<Record<number, State>> = {
  79: 'ss3',
  80: 'string',
  88: 'string',
  91: 'csi',
  93: 'string',
  94: 'string',
  95: 'string',
};

function altCharacter(machine: Machine, character: string): void {
  enter(machine, 'ground');
  const isText = characterOf(character.codePointAt(0) ?? 0) !== undefined;
  if (isText) press(machine, chord(character, { ...NO_MODIFIERS, alt: true }));
}

function inAltCharacter(machine: Machine, byte: number): void {
  if (byte < 0x80) {
    machine.utf8.end();
    enter(machine, 'ground');
    inGround(machine, byte);
    return;
  }
  const [character, ...more] = machine.utf8.push(byte);
  if (character === undefined) return;
  altCharacter(machine, character);
  for (const other of more) typed(machine, other);
}

/** Reads the byte after two Escapes: only `CSI` and `SS3` make them one key. */
function afterEscapes(machine: Machine, byte: number): void {
  if (byte === 0x5b || byte === 0x4f) {
    machine.hasAlt = true;
    afterEscape(machine, byte);
    return;
  }
  press(machine, ESCAPE_KEY);
  enter(machine, 'escape');
  afterEscape(machine, byte);
}

function inCsi(machine: Machine, byte: number): void {
  const { body, hasAlt } = machine;
  const character = String.fromCharCode(byte);
  if (byte === ESC) restart(machine);
  else if (byte < 0x20 || byte >= DEL) abort(machine, byte);
  else if (byte < 0x40 && !isFinalOfRxvt(body, character)) addToBody(machine, character);
  else if (body === '' && character === '[') enter(machine, 'console_key');
  else if (body === '' && character === 'M') {
    enter(machine, 'mouse');
    machine.skip = 3;
  } else {
    enter(machine, 'ground');
    if (body === '200' && character === '~') beginPaste(machine);
    else emit(machine, readCsi(body, character, hasAlt));
  }
}

/** Reports whether a dollar ends a sequence: rxvt sends keys with Shift in this way. */
const isFinalOfRxvt = (body: string, character: string) => character === '$' && /^\d{1,2}$/.test(body);

function beginPaste(machine: Machine): void {
  endRun(machine);
  machine.marksPastes = true;
  machine.paste = createPasteReader();
}

/** Begins a new sequence in the middle of one. */
function restart(machine: Machine): void {
  giveUp(machine);
  enter(machine, 'escape');
}

function addToBody(machine: Machine, character: string): void {
  if (machine.body.length < LONGEST_BODY) machine.body += character;
}

function inConsoleKey(machine: Machine, byte: number): void {
  const name = byte >= 0x41 && byte <= 0x45 ? `f${byte - 0x40}` : undefined;
  if (byte === ESC) restart(machine);
  else if (byte < 0x20 || byte >= DEL) abort(machine, byte);
  else {
    enter(machine, 'ground');
    press(machine, name === undefined ? undefined : namedKey(name, NO_MODIFIERS));
  }
}

/** Reads keys of the application mode, with the modifiers that old terminals put in front: `SS3 5 A`. */
function inSs3(machine: Machine, byte: number): void {
  const { body, hasAlt } = machine;
  const character = String.fromCharCode(byte);
  if (byte === ESC) restart(machine);
  else if (byte < 0x20 || byte >= DEL) abort(machine, byte);
  else if (/[0-9;]/.test(character)) addToBody(machine, character);
  else {
    enter(machine, 'ground');
    const keypad = KEYPAD_LETTERS[character];
    if (keypad === undefined) press(machine, applicationKey(character, body, hasAlt));
    else press(machine, textKey(keypad));
  }
}

function applicationKey(character: string, body: string, hasAlt: boolean): Key | undefined {
  if (character === 'M') return namedKey('enter', { ...NO_MODIFIERS, alt: hasAlt });
  // rxvt sends arrows with Ctrl as small letters.
  if (character >= 'a' && character <= 'd')
    return namedKey(LETTER_KEYS[character.toUpperCase()] ?? '', { ctrl: true, alt: hasAlt, shift: false });
  const name = LETTER_KEYS[character];
  const modifiers = modifiersOf([Number(body.split(';').at(-1) || Number.NaN)], hasAlt);
  return name === undefined || modifiers === undefined ? undefined : namedKey(name, modifiers);
}

function inString(machine: Machine, byte: number): void {
  if (byte === BEL) endString(machine);
  else if (byte === ESC && machine.body === '') restart(machine);
  else if (byte === ESC) machine.state = 'string_escape';
  // No reply has other control characters. Without this a lost terminator would take all that is typed after it.
  else if (byte < 0x20) abort(machine, byte);
  else addToBody(machine, String.fromCharCode(byte));
}

function endString(machine: Machine): void {
  const { introducer, body } = machine;
  enter(machine, 'ground');
  emit(machine, readString(introducer, body));
}

function inMouse(machine: Machine, byte: number): void {
  machine.skip -= 1;
  if (byte < 0x20) abort(machine, byte);
  else if (machine.skip === 0) enter(machine, 'ground');
}
