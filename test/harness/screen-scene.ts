import { Unicode11Addon } from '@xterm/addon-unicode11';
import xterm from '@xterm/headless';
import { type Line, lineText, span } from '../../src/text/span.ts';
import { createScreen, type Screen } from '../../src/tui/screen/create-screen.ts';
import type { Caret, ScreenFrame, Size } from '../../src/tui/screen/frame.ts';
import { paint, unpainted } from '../../src/tui/screen/paint.ts';
import { isSureText } from '../../src/tui/screen/sure-cells.ts';

/** A frame of the program. */
export interface ShowStep {
  readonly type: 'show';
  readonly commit: readonly string[];
  readonly live: readonly string[];
  readonly caret: number;
}

/** One thing that happens to a screen. */
export type ScreenStep =
  | ShowStep
  /** The first rows of the live region become committed. */
  | { readonly type: 'finish'; readonly rows: number }
  | { readonly type: 'key'; readonly text: string }
  | { readonly type: 'resize'; readonly sizes: readonly Size[] }
  /** The terminal has other sizes, each for some frames, before the program learns of the last one. */
  | { readonly type: 'late'; readonly sizes: readonly Size[]; readonly frames: readonly ShowStep[] }
  | { readonly type: 'page'; readonly rows: readonly string[] }
  | { readonly type: 'redraw' | 'suspend' };

export interface ScreenSceneOptions {
  readonly size: Size;
  /** Whether the terminal wraps rows that became too wide. */
  readonly reflow: boolean;
  /** Whether it wraps the row of the cursor too. */
  readonly caretReflow: boolean;
  /** Whether the screen knows of `reflow`. */
  readonly isTold: boolean;
  /** Whether the terminal reports its cursor. */
  readonly reports: boolean;
  /** Whether the screen knows that it may learn of a size late. */
  readonly isLate: boolean;
  /** Returns the length of the next piece of bytes that the terminal gets. */
  readonly split: () => number;
}

/** The content of the terminal after some steps. */
export interface ScreenFinding {
  readonly committed: number;
  readonly lost: readonly string[];
  /** Rows above the live region that were not committed. */
  readonly stale: readonly string[];
  readonly live: readonly string[];
  /** The live region as a new terminal shows it. */
  readonly fresh: readonly string[];
  readonly below: string;
  readonly isPage: boolean;
}

export interface ScreenScene {
  step(step: ScreenStep): Promise<void>;
  find(): Promise<ScreenFinding>;
  /** Bytes that the last step wrote. */
  bytes(): string;
  close(): Promise<void>;
}

const PROPERTIES = { scrollback: 100_000, allowProposedApi: true };
/** Under this setting the emulator cuts rows, as old consoles do. */
const NO_REFLOW = { windowsPty: { backend: 'conpty', buildNumber: 19_000 } } as const;

type Emulator = InstanceType<typeof xterm.Terminal>;

/** A terminal, and the frame that a screen would draw on it now. */
interface Surroundings {
  readonly options: ScreenSceneOptions;
  readonly terminal: Emulator;
  /** Gets the committed rows alone, so that it shows them as the first terminal should, however often both were resized. */
  readonly witness: Emulator;
  readonly timers: Set<() => void>;
  size: Size;
  commit: Line[];
  live: Line[];
  caret: Caret;
  page: Line[] | null;
  /** Bytes of this step. */
  written: string;
  committed: number;
  /** Settles when the terminals have read everything. */
  pending: Promise<void>;
}

interface Scene extends Surroundings {
  readonly screen: Screen;
}

/** Starts a screen on an emulated terminal. */
export function startScreenScene(options: ScreenSceneOptions): ScreenScene {
  const scene = createScene(options);
  return {
    async step(step) {
      scene.written = '';
      await (ACTIONS[step.type] as (scene: Scene, step: ScreenStep) => void | Promise<void>)(scene, step);
      await rest(scene);
    },
    bytes: () => scene.written,
    async find() {
      await rest(scene);
      return find(scene);
    },
    async close() {
      const closed = scene.screen.close();
      await rest(scene);
      await closed;
      for (const terminal of [scene.terminal, scene.witness]) terminal.dispose();
    },
  };
}

function createScene(options: ScreenSceneOptions): Scene {
  const emulators = { terminal: emulate(options, options.size), witness: emulate(options, options.size) };
  const content = { commit: [], live: [], caret: { row: 0, column: 0 }, page: null, written: '', committed: 0 };
  const rest = { timers: new Set<() => void>(), size: options.size, pending: Promise.resolve() };
  const scene: Surroundings = { options, ...emulators, ...content, ...rest };
  const screen = createScreen({
    depth: '16',
    size: () => scene.size,
    now: () => 0,
    reflows: () => options.isTold && options.reflow,
    isLate: options.isLate,
    write(bytes, done) {
      scene.written += bytes;
      scene.pending = scene.pending.then(() => feed(scene.terminal, bytes, options.split)).then(done);
    },
    setTimer(_, call) {
      scene.timers.add(call);
      return () => scene.timers.delete(call);
    },
    frame: () => takeFrame(scene),
  });
  scene.terminal.onData((data) => {
    const [, row, column] = /\[(\d+);(\d+)R/.exec(data) ?? [];
    if (row !== undefined && options.reports) screen.cursorReport({ row: Number(row), column: Number(column) });
  });
  return Object.assign(scene, { screen });
}

function emulate({ reflow, caretReflow }: ScreenSceneOptions, { columns, rows }: Size): Emulator {
  const settings = { cols: columns, rows, ...PROPERTIES, reflowCursorLine: caretReflow };
  const terminal = new xterm.Terminal({ ...settings, ...(reflow ? {} : NO_REFLOW) });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  return terminal;
}

function takeFrame(scene: Surroundings): ScreenFrame {
  const { commit, live, caret, page, witness } = scene;
  if (page !== null) return { kind: 'page', rows: page, caret: null };
  const written = commit.map((line) => `${lineText(line)}\r\n`).join('');
  scene.pending = scene.pending.then(() => feed(witness, written, () => 4096));
  scene.committed += commit.length;
  scene.commit = [];
  return { kind: 'inline', commit, live, caret };
}

/** Waits until nothing is to be written and no timer is left. */
async function rest(scene: Scene): Promise<void> {
  for (;;) {
    const current = scene.pending;
    await current;
    if (current !== scene.pending) continue;
    const [next] = scene.timers;
    if (next === undefined) return;
    scene.timers.delete(next);
    next();
  }
}

type ScreenActions = {
  [Type in ScreenStep['type']]: (scene: Scene, step: Extract<ScreenStep, { type: Type }>) => void | Promise<void>;
};

const ACTIONS: ScreenActions = {
  show(scene, step) {
    scene.commit = [...scene.commit, ...step.commit.map(styled)];
    scene.live = step.live.map(styled);
    scene.caret = caretAt(scene.live, step.caret, scene.size);
    scene.page = null;
    scene.screen.invalidate('soon');
  },
  finish(scene, { rows }) {
    scene.commit = [...scene.commit, ...scene.live.slice(0, rows)];
    scene.live = scene.live.slice(rows);
    scene.caret = caretAt(scene.live, scene.caret.row, scene.size);
    scene.page = null;
    scene.screen.invalidate('soon');
  },
  key(scene, { text }) {
    scene.live = [...scene.live.slice(0, -1), [...(scene.live.at(-1) ?? []), span(text)]];
    const column = Math.min(scene.size.columns - 1, scene.caret.column + 1);
    scene.caret = { row: scene.live.length - 1, column };
    scene.screen.invalidate('now');
  },
  resize(scene, { sizes }) {
    for (const size of sizes) {
      scene.size = size;
      scene.terminal.resize(size.columns, size.rows);
      scene.witness.resize(size.columns, 50);
      scene.screen.resized();
    }
  },
  async late(scene, { sizes, frames }) {
    for (const { columns, rows } of sizes) {
      scene.terminal.resize(columns, rows);
      scene.witness.resize(columns, 50);
      for (const frame of frames) {
        ACTIONS.show(scene, frame);
        await rest(scene);
      }
    }
    scene.size = sizes.at(-1) ?? scene.size;
    scene.screen.resized();
  },
  page(scene, { rows }) {
    scene.page = rows.map(styled);
    scene.screen.invalidate('now');
  },
  redraw: ({ screen }) => screen.redraw(),
  async suspend(scene) {
    const left = scene.screen.suspend();
    await rest(scene);
    await left;
    scene.screen.resume();
  },
};

async function find(scene: Scene): Promise<ScreenFinding> {
  const { options, terminal, witness, size, live, caret, committed } = scene;
  const isPage = scene.page !== null;
  const fresh = emulate(options, size);
  const frame: ScreenFrame = { kind: 'inline', commit: [], live, caret };
  const { bytes, after } = paint(unpainted(size), frame, size, { depth: '16' });
  await feed(fresh, bytes, () => 4096);
  const rows = rowsOf(terminal);
  const top = terminal.buffer.normal.baseY + terminal.buffer.normal.cursorY - after.caret.row;
  const end = top + after.live.length;
  const shown = (some: readonly EmulatedRow[]) => some.map(({ text }) => text.trimEnd());
  const read = options.reflow ? logicalLines : physicalRows;
  const above = rows.slice(0, isPage ? undefined : top);
  const found = compare(read(rowsOf(witness)), read(above), options.reflow ? isSame : isBeginning);
  const drawn = shown(rowsOf(fresh).slice(0, after.live.length));
  fresh.dispose();
  const below = shown(rows.slice(end)).join('');
  return { ...found, committed, isPage, live: shown(rows.slice(top, end)), fresh: drawn, below };
}

/** Returns a row whose words have their own looks, so that styles begin and end inside it. */
const styled = (text: string): Line =>
  text
    .split(/(?<= )/)
    .map((word, at) => span(word, at % 3 === 1 ? { bold: true } : at % 3 === 2 ? { color: 'accent' } : {}));

function caretAt(live: readonly Line[], row: number, { columns }: Size) {
  const at = Math.max(0, Math.min(row, live.length - 1));
  const length = (live[at] ?? []).reduce((sum, { text }) => sum + text.length, 0);
  return { row: at, column: Math.min(length, columns - 1) };
}

async function feed(terminal: Emulator, text: string, split: () => number): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  // The emulator's own decoder drops some characters that come in pieces.
  const decoder = new TextDecoder();
  for (let at = 0; at < bytes.length; ) {
    const end = at + Math.max(1, split());
    terminal.write(decoder.decode(bytes.slice(at, end), { stream: true }));
    at = end;
  }
  await new Promise<void>((resolve) => terminal.write('', resolve));
}

interface EmulatedRow {
  readonly text: string;
  /** The characters by which lines are compared. */
  readonly sure: string;
  readonly isWrapped: boolean;
}

function rowsOf(terminal: Emulator): EmulatedRow[] {
  const buffer = terminal.buffer.normal;
  return Array.from({ length: buffer.length }, (_, row) => {
    const line = buffer.getLine(row);
    const text = line?.translateToString(true, 0, terminal.cols) ?? '';
    return { text, sure: line === undefined ? '' : sureText(line, terminal.cols), isWrapped: line?.isWrapped ?? false };
  });
}

/**
 * Returns the cells of a row that have one character of sure width. The emulator mixes up cells of several code points when
 * it wraps rows anew. Spaces do not count, since a wide character at an edge adds one.
 */
function sureText(line: NonNullable<ReturnType<Emulator['buffer']['normal']['getLine']>>, columns: number): string {
  let sure = '';
  for (let column = 0; column < columns; column += 1) {
    const characters = line.getCell(column)?.getChars() ?? '';
    if (characters.length === 1 && characters !== ' ' && isSureText(characters)) sure += characters;
  }
  return sure;
}

/** Returns the lines as they were written. */
function logicalLines(rows: readonly EmulatedRow[]): string[] {
  const lines: string[] = [];
  for (const { sure, isWrapped } of rows) {
    if (isWrapped && lines.length > 0) lines.push(`${lines.pop()}${sure}`);
    else lines.push(sure);
  }
  return lines.filter((line) => line !== '');
}

const physicalRows = (rows: readonly EmulatedRow[]) => rows.map(({ sure }) => sure).filter((row) => row !== '');

const isSame = (wanted: string, there: string) => wanted === there;
/** Reports whether a row begins with another. The emulator keeps the rest of a row that it cuts, and shows it when it grows. */
const isBeginning = (wanted: string, there: string) => there.startsWith(wanted);

/** Compares lines that should be there with those that are, in order. */
function compare(
  wanted: readonly string[],
  there: readonly string[],
  isLine: (wanted: string, there: string) => boolean,
): Pick<ScreenFinding, 'lost' | 'stale'> {
  const lost: string[] = [];
  const stale: string[] = [];
  let at = 0;
  for (const line of wanted) {
    const found = there.findIndex((other, row) => row >= at && isLine(line, other));
    if (found === -1) {
      lost.push(line);
      continue;
    }
    stale.push(...there.slice(at, found));
    at = found + 1;
  }
  return { lost, stale: [...stale, ...there.slice(at)] };
}
