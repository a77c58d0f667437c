import { cellWidth } from '../text/cells.ts';
import { graphemes } from '../text/graphemes.ts';
import type { ColorDepth } from '../text/render-line.ts';
import { type Line, span } from '../text/span.ts';
import type { InputParser } from './input/create-input-parser.ts';
import type { InputEvent } from './input/input-event.ts';
import { createScreen, type Screen } from './screen/create-screen.ts';
import type { ScreenFrame, Size } from './screen/frame.ts';
import { probeOf } from './screen/modes.ts';
import { reflowsByName } from './screen/reflows-by-name.ts';
import type { TerminalDevice } from './terminal-device.ts';

export { UNDO_AFTER_DEATH } from './screen/modes.ts';

/** A terminal that shows a composer and takes keys, before anything else of the program is loaded. */
export interface ScreenTerminal {
  readonly screen: Screen;
  size(): Size;
  /** Hands the terminal over. The input that came before this call is read first. */
  handOver(to: TerminalUser): void;
  /** Begins the watch over the terminal, then sets its modes and reads keys one by one, all of it once. Resolves when that is done. */
  takeKeys(): Promise<void>;
  /** Calls the listener when the terminal has another size. */
  onResize(listener: (size: Size) => void): void;
  /** Runs work during which another program has the terminal, such as an editor. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  /** Stops the process like Ctrl-Z of a shell, and draws again when it goes on. */
  suspend(): Promise<void>;
  close(): Promise<void>;
}

/** Draws the frames of a terminal and takes its input. */
export interface TerminalUser {
  readonly parser: InputParser;
  frame(size: Size): ScreenFrame;
  take(event: InputEvent, at: number): void;
}

/** Waiting for the rest of a sequence that begins with Escape. */
const ESCAPE_MS = 25;

export interface ScreenLook {
  readonly depth: ColorDepth;
  /** Name of the terminal in the environment, if it has one. */
  readonly program: string | undefined;
  /** Whether sizes of the terminal become known late: it is tmux, or behind a network. */
  readonly isLate: boolean;
}

/** Opens the terminal and draws the first frame. */
export function openTerminal(device: TerminalDevice, look: ScreenLook): ScreenTerminal {
  const { depth, program, isLate } = look;
  const early: { readonly bytes: Uint8Array; readonly at: number }[] = [];
  let draft: readonly string[] = [];
  let user: TerminalUser | undefined;
  const screen = createScreen({
    depth,
    write: device.write,
    size: device.size,
    frame: (size) => user?.frame(size) ?? firstFrame(draft, size),
    // The module behind `performance` would be loaded for the first frame.
    now: () => process.uptime() * 1000,
    setTimer,
    reflows: () => reflowsByName({ version: reader.version(), program }),
    isLate,
  });
  const reader = createReader(screen);
  device.onInput((bytes) => {
    const at = Date.now();
    if (user !== undefined) return reader.read(user, bytes, at);
    early.push({ bytes, at });
    draft = typed(draft, bytes);
    screen.invalidate('now');
  });
  let resized = (_: Size): void => {};
  device.onResize(() => {
    resized(device.size());
    screen.resized();
  });
  let begun: Promise<void> | undefined;
  const takeKeys = () => {
    begun ??= device.begin().then(() => {
      screen.setModes();
      // Before keys are read one by one, the terminal would show its own answers.
      screen.send(probeOf(program));
    });
    return begun;
  };
  screen.invalidate('now');
  return {
    screen,
    size: device.size,
    handOver(to) {
      user = to;
      for (const { bytes, at } of early.splice(0)) reader.read(to, bytes, at);
    },
    takeKeys,
    onResize(listener) {
      resized = listener;
    },
    lend: (work) => lend(device, screen, work),
    suspend: () => lend(device, screen, device.stop),
    async close() {
      reader.end();
      await within(CLOSE_MS, screen.close());
      await device.close();
    },
  };
}

/** A terminal that does not read must not keep the program from ending. */
const CLOSE_MS = 1000;

const within = (ms: number, work: Promise<void>): Promise<void> =>
  Promise.race([work, new Promise<void>((resolve) => void setTimeout(resolve, ms).unref())]);

/** Runs work during which another program has the terminal. */
async function lend<T>(device: TerminalDevice, screen: Screen, work: () => Promise<T>): Promise<T> {
  await screen.suspend();
  device.pause();
  try {
    return await work();
  } finally {
    device.resume();
    screen.resume();
  }
}

/** Returns the reader of input. Answers of the terminal are for the screen, and the rest is for the user of the terminal. */
function createReader(screen: Screen) {
  let cancelFlush = () => {};
  let last = 0;
  let version: string | undefined;

  function accept({ take }: TerminalUser, events: readonly InputEvent[], at: number): void {
    for (const event of events) {
      if (event.type === 'reply' && event.reply.kind === 'version') version = event.reply.text;
      if (event.type === 'reply' && event.reply.kind === 'cursor') screen.cursorReport(event.reply);
      else take(event, at);
    }
    if (events.length > 0) screen.invalidate('now');
  }

  return {
    /** Name and version that the terminal answered with. */
    version: () => version,
    read(by: TerminalUser, bytes: Uint8Array, at: number): void {
      const { parser } = by;
      cancelFlush();
      // Input that waited for the program: an Escape before a pause was a key.
      if (parser.pending && at - last > ESCAPE_MS) accept(by, parser.flush(), last);
      last = at;
      accept(by, parser.push(bytes), at);
      if (parser.pending) cancelFlush = setTimer(ESCAPE_MS, () => accept(by, parser.flush(), Date.now()));
    },
    end: () => cancelFlush(),
  };
}

function setTimer(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** Mark before the draft. */
const DRAFT_MARK: Line = [span('› ', { color: 'accent', bold: true })];

/** Returns a composer of one row with the end of the draft. The real one, which wraps, is loaded later and gets the same input. */
function firstFrame(draft: readonly string[], { columns }: Size): ScreenFrame {
  let from = draft.length;
  let width = 2;
  for (; from > 0; from -= 1) {
    const next = width + cellWidth(draft[from - 1] ?? '');
    if (next >= columns) break;
    width = next;
  }
  const live: Line[] = [[...DRAFT_MARK, span(draft.slice(from).join(''))]];
  return { kind: 'inline', commit: [], live, caret: { row: 0, column: width } };
}

/** More bytes of a paste than one row can show. */
const MOST_BYTES = 1000;
const BACKSPACE = '\u007f';

/**
 * Returns the draft after input, as graphemes. Sequences and most control characters show nothing: the parser, which is
 * loaded later, knows them.
 */
function typed(draft: readonly string[], bytes: Uint8Array): readonly string[] {
  const text = Buffer.from(bytes.subarray(-MOST_BYTES)).toString();
  if (text === BACKSPACE) return draft.slice(0, -1);
  return /\p{Cc}/u.test(text) ? draft : [...draft, ...graphemes(text)];
}
