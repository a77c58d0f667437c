import type { ColorDepth } from '../../text/render-line.ts';
import type { ScreenFrame, Size } from './frame.ts';
import { ASK_CURSOR, SET_MODES, UNDO_MODES } from './modes.ts';
import { isSameSize, type Painted, type PaintOptions, paint, unpainted } from './paint.ts';

export interface ScreenOptions {
  readonly depth: ColorDepth;
  /** Writes bytes to the terminal. Calls back when the system took them. Never blocks. */
  write(bytes: string, done: () => void): void;
  size(): Size;
  /** Makes the next frame. Called only when the frame can be written: the screen pulls. */
  frame(size: Size): ScreenFrame;
  now(): number;
  /** Calls a function later. Returns a function that takes this back. */
  setTimer(ms: number, call: () => void): () => void;
  /**
   * Reports whether the terminal is known to wrap rows that became too wide for it; see `reflowsByName`. Default: it is not.
   * Then a narrower terminal may keep parts of the old live region, and never loses a committed row.
   */
  reflows?(): boolean;
  /** Whether the terminal may have had another size for a while before this process learns of it. Default: it has not. */
  readonly isLate?: boolean;
}

export interface Screen {
  /**
   * Asks for a frame. `now` is for a key: the frame is painted at once unless a write is in flight. `soon` is for the rest:
   * at most 30 frames a second, the first at once.
   */
  invalidate(when: 'now' | 'soon'): void;
  /** Sets the modes of the terminal, now and whenever it is taken back. To be called when something would undo them after our sudden death. */
  setModes(): void;
  /** Takes note of another size of the terminal. Waits for it to settle, and draws the live region anew. */
  resized(): void;
  /** Takes a report of the cursor that came as input. */
  cursorReport(report: { readonly row: number; readonly column: number }): void;
  /** Draws the live region anew. */
  redraw(): void;
  /** Writes a sequence outside the frames, such as a title or a bell, with the next write. */
  send(sequence: string): void;
  /** Leaves the terminal to another program: erases the live region, undoes the modes. */
  suspend(): Promise<void>;
  /** Takes the terminal back, at the beginning of a row. */
  resume(): void;
  /**
   * Writes the committed rows of a last frame, without a live region, and undoes all modes. Resolves when the terminal took
   * them, which a stalled terminal does not.
   */
  close(): Promise<void>;
}

/** At most 30 frames a second. A frame costs more than the words of a fast stream that it shows, and more of them read no better. */
const FRAME_MS = 1000 / 30;
const SETTLE_MS = 25;
const REPORT_MS = 50;
/** Longest time until a size is known where it comes late. tmux tells of the second of two sizes after a quarter of a second. */
const LATE_MS = 400;

/** Creates the screen. It draws the first frame when it is first asked for a frame. */
export function createScreen(options: ScreenOptions): Screen {
  const size = options.size();
  const state: State = {
    options,
    size,
    painted: unpainted(size),
    phase: 'open',
    isWriting: false,
    wanted: undefined,
    lastAt: Number.NEGATIVE_INFINITY,
    cancel: () => undefined,
    outside: '',
    wantsModes: false,
    hasModes: false,
    next: {},
    wrapsSeen: 0,
    narrowest: Number.POSITIVE_INFINITY,
    isDoubtful: false,
    whenIdle: [],
  };
  return {
    invalidate(when) {
      // A frame is due already: a timer was set, or comes after the write.
      if (when === 'soon' && state.wanted !== undefined) return;
      if (state.wanted !== 'now') state.wanted = when;
      advance(state);
    },
    setModes() {
      state.wantsModes = true;
      if (state.phase !== 'suspended' && state.phase !== 'closed') state.outside += newModes(state);
      advance(state);
    },
    resized: () => settle(state),
    cursorReport: ({ column }) => takeReport(state, column - 1),
    redraw() {
      state.next = { ...state.next, isAnew: true };
      state.wanted = 'now';
      advance(state);
    },
    send(sequence) {
      state.outside += sequence;
      advance(state);
    },
    suspend: () => leave(state, 'suspended', () => NOTHING),
    resume() {
      if (state.phase !== 'suspended') return;
      state.size = options.size();
      state.painted = unpainted(state.size);
      state.phase = 'open';
      state.wanted = 'now';
      advance(state);
    },
    close: () => leave(state, 'closed', () => options.frame(state.size)),
  };
}

interface State {
  readonly options: ScreenOptions;
  /** The size that frames are made for. */
  size: Size;
  painted: Painted;
  /** Frames are drawn only while `open`. A size is `settling`, then `settled`; then the cursor may be asked for. */
  phase: 'open' | 'settling' | 'settled' | 'asking' | 'suspended' | 'closed';
  isWriting: boolean;
  wanted: 'now' | 'soon' | undefined;
  /** Time of the last frame. */
  lastAt: number;
  /** Cancels the timer, of which there is at most one. */
  cancel: () => void;
  /** Sequences that wait for the next write. */
  outside: string;
  wantsModes: boolean;
  hasModes: boolean;
  /** How the next frame is painted. */
  next: Omit<PaintOptions, 'depth'>;
  /** How often the terminal was seen to wrap the row of the caret. */
  wrapsSeen: number;
  /** Fewest columns since the last frame. */
  narrowest: number;
  /** Whether a frame may have been painted for a size that the terminal no longer had. */
  isDoubtful: boolean;
  whenIdle: (() => void)[];
}

/** Does the next thing that can be done. Called after everything that happens. */
function advance(state: State): void {
  if (state.isWriting) return;
  const first = state.whenIdle.shift();
  if (first !== undefined) first();
  else if (state.phase === 'settled') askOrDraw(state);
  else if (state.phase === 'open') drawInTime(state);
}

function drawInTime(state: State): void {
  const dueAt = { now: Number.NEGATIVE_INFINITY, soon: state.lastAt + FRAME_MS };
  const wait = state.wanted && dueAt[state.wanted] - state.options.now();
  if (wait !== undefined && wait <= 0) {
    drawFrame(state);
    return;
  }
  if (wait !== undefined) startTimer(state, wait, () => drawFrame(state));
  write(state, '');
}

function drawFrame(state: State): void {
  const { options } = state;
  state.cancel();
  // Called by a timer, it may come while sequences are written. The end of the write calls it again.
  if (state.isWriting || state.phase !== 'open') return;
  const size = options.size();
  if (!isSameSize(size, state.size)) {
    settle(state);
    return;
  }
  state.wanted = undefined;
  state.lastAt = options.now();
  const frame = options.frame(size);
  const { bytes, after } = paint(state.painted, frame, size, { depth: options.depth, ...state.next });
  state.painted = after;
  state.next = {};
  state.narrowest = Number.POSITIVE_INFINITY;
  state.isDoubtful = false;
  write(state, `${newModes(state)}${bytes}`);
}

/** Returns the bytes that set the modes, unless they are set. */
function newModes(state: State): string {
  if (!state.wantsModes || state.hasModes) return '';
  state.hasModes = true;
  return SET_MODES;
}

function write(state: State, bytes: string, then?: () => void): void {
  const all = `${state.outside}${bytes}`;
  state.outside = '';
  if (all === '') return;
  state.isWriting = true;
  state.options.write(all, () => {
    state.isWriting = false;
    then?.();
    advance(state);
  });
}

function startTimer(state: State, ms: number, call: () => void): void {
  state.cancel();
  const cancel = state.options.setTimer(ms, call);
  state.cancel = () => {
    cancel();
    state.cancel = () => undefined;
  };
}

/** Waits until the size has not changed for a while: a frame at every step of a moving edge would be painted for a size that is gone. */
function settle(state: State): void {
  if (state.phase === 'suspended' || state.phase === 'closed') return;
  state.phase = 'settling';
  state.isDoubtful ||= state.options.isLate === true && state.options.now() - state.lastAt < LATE_MS;
  state.narrowest = Math.min(state.narrowest, state.options.size().columns);
  startTimer(state, SETTLE_MS, () => {
    state.phase = 'settled';
    advance(state);
  });
}

/** Asks for the cursor if its column tells whether the terminal wrapped the row of the caret, and draws otherwise. */
function askOrDraw(state: State): void {
  state.size = state.options.size();
  const { caret, size, page } = state.painted;
  const { columns } = state.size;
  const isClear = !state.isDoubtful && !looksCut(state);
  const tells = page === null && columns < size.columns && caret.column >= columns && isClear;
  if (!tells) {
    drawResized(state, false);
    return;
  }
  state.phase = 'asking';
  write(state, ASK_CURSOR, () => {
    // A report may have come before the system said that it took the question.
    if (state.phase === 'asking') startTimer(state, REPORT_MS, () => drawResized(state, false));
  });
}

/**
 * Reports whether the caret of a wrapped row stands where that of a row that was cut stands: in the last cell of the
 * narrowest size on the way to this one.
 */
const looksCut = ({ painted, size, narrowest }: State) => painted.caret.column % size.columns === narrowest - 1;

/** Learns from the column of the cursor. A terminal that did not wrap the row of the caret once never does. */
function takeReport(state: State, column: number): void {
  if (state.phase !== 'asking') return;
  const wraps = column === state.painted.caret.column % state.size.columns;
  state.wrapsSeen = wraps ? state.wrapsSeen + 1 : Number.NEGATIVE_INFINITY;
  drawResized(state, state.wrapsSeen > 0);
}

function drawResized(state: State, caretRow: boolean): void {
  state.cancel();
  // One report may fit by chance: the system does not tell of every size. After a frame for a size that was gone, rows may
  // take fewer rows of the terminal than their width says.
  const rows = !state.isDoubtful && (state.wrapsSeen > 1 || (state.options.reflows?.() ?? false));
  state.next = { isAnew: true, reflow: { rows, caretRow } };
  state.phase = 'open';
  state.wanted = 'now';
  advance(state);
}

const START = { row: 0, column: 0 };
const NOTHING: ScreenFrame = { kind: 'inline', commit: [], live: [], caret: START };

/** Writes the rows that a last frame commits, without a live region, and undoes the modes. */
function leave(state: State, phase: 'suspended' | 'closed', lastFrame: () => ScreenFrame): Promise<void> {
  const { options } = state;
  const wasOpen = state.phase !== 'suspended' && state.phase !== 'closed';
  if (state.phase === 'closed') return Promise.resolve();
  state.phase = phase;
  state.cancel();
  return new Promise((resolve) => {
    state.whenIdle.push(() => {
      state.size = options.size();
      const before = wasOpen ? state.painted : unpainted(state.size);
      const last = lastFrame();
      const frame = last.kind === 'inline' ? { ...last, live: [], caret: START } : NOTHING;
      const { bytes, after } = paint(before, frame, state.size, { depth: options.depth, ...state.next });
      state.painted = after;
      state.next = {};
      const undo = state.hasModes ? UNDO_MODES : '';
      state.hasModes = false;
      write(state, `${bytes}${undo}`, resolve);
      // Nothing was to be written.
      if (!state.isWriting) {
        resolve();
        advance(state);
      }
    });
    advance(state);
  });
}
