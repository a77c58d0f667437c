import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type IPty, spawn } from '@lydell/node-pty';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import xterm from '@xterm/headless';
import { onTestFinished } from 'vitest';
import type { ScriptedModel, TempWorkspace } from '../../src/testing/index.ts';
import { cleanEnvironment, PROGRAM } from './run-oxbow.ts';
import { type ConfigTable, scriptedConfig } from './scripted-config.ts';

export interface StartTerminalOptions {
  readonly workspace: TempWorkspace;
  readonly model: Pick<ScriptedModel, 'url'>;
  readonly config?: ConfigTable;
  /** Whether config.toml is left as it is. */
  readonly isConfigured?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Starts the program from a shell, as people do. The shell stays, and says with which code the program left and whether
   * the settings of the terminal are as before.
   */
  readonly isInShell?: boolean;
}

/** The real program in a terminal of its own, whose screen an emulator draws. */
export interface TestTerminal {
  /** Returns the id of the program's process. */
  pid(): number;
  /** Types a text as a person would: the bytes arrive in one read. */
  type(text: string): void;
  /** Resolves when the screen or the scrollback contains the text. Rejects with the screen when the program ends without it. */
  shows(wanted: string | RegExp): Promise<void>;
  /** Resolves when neither the screen nor the scrollback contains the text. */
  hides(wanted: string | RegExp): Promise<void>;
  /** Resolves when the bytes of the program contain the text. */
  writes(wanted: string): Promise<void>;
  /** Rows of the screen, without spaces at their ends. */
  screen(): Promise<string[]>;
  /** Rows of the scrollback and the screen. Rows that the terminal wrapped are joined. */
  lines(): Promise<string[]>;
  /** All bytes that the program wrote so far. */
  bytes(): string;
  resize(columns: number, rows: number): void;
  /** Stops or goes on reading from the terminal. */
  read(isReading: boolean): void;
  kill(signal: NodeJS.Signals): void;
  /** Ends the terminal, as the close button of a window does. */
  hangUp(): void;
  /** Returns the id of the shell, or of the program if there is no shell. */
  shell(): number;
  /** Resolves with the exit code, of the shell if there is one. */
  wait(): Promise<{ readonly code: number; readonly signal: number | undefined }>;
  /** Resolves with the sentence of the shell about the end of the program. */
  left(): Promise<string>;
  /** Returns the modes that the program has set and not undone. */
  modes(): string[];
}

/** Keys as a terminal sends them. */
export const KEYS = {
  enter: '\r',
  escape: '\u001b',
  tab: '\t',
  backTab: '\u001b[Z',
  up: '\u001b[A',
  down: '\u001b[B',
  altUp: '\u001b[1;3A',
  shiftEnter: '\u001b[13;2u',
  backspace: '\u007f',
  ctrl: (letter: string) => String.fromCharCode(letter.toLowerCase().charCodeAt(0) - 96),
  paste: (text: string) => `\u001b[200~${text}\u001b[201~`,
} as const;

const WAIT_MS = 20_000;

/** Runs the program, then waits for the settings of the terminal, which another process restores after a sudden death. */
const SHELL = `before=$(stty -g)
"$@"
code=$?
tries=0
while [ "$before" != "$(stty -g)" ] && [ $tries -lt 100 ]; do sleep 0.05; tries=$((tries + 1)); done
[ "$before" = "$(stty -g)" ] && settings=restored || settings=changed
echo "[left with $code, settings $settings]"
read line`;
const LEFT = /\[left with \d+, settings \w+\]/;

/** Starts `bin/oxbow` in a pty. The emulator answers the questions of the program. The program is killed at the end of the test. */
export function startTerminal(args: readonly string[], options: StartTerminalOptions): TestTerminal {
  const { workspace, model, config, columns = 80, rows = 24 } = options;
  if (!options.isConfigured) workspace.configure(scriptedConfig(model.url, config));
  const { emulator, rowsOf } = createEmulator(columns, rows);
  const child = startProgram(args, options);
  let bytes = '';
  let exit: { readonly code: number; readonly signal: number | undefined } | undefined;
  child.onData((data) => {
    bytes += data;
    emulator.write(data);
  });
  emulator.onData((data) => void (exit ?? child.write(data)));
  const ended = new Promise<NonNullable<typeof exit>>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      exit = { code: exitCode, signal };
      resolve(exit);
    });
  });
  onTestFinished(async () => {
    if (exit === undefined) child.kill('SIGKILL');
    await ended;
    emulator.dispose();
  });
  const look = { size: () => bytes.length, rows: () => rowsOf('all'), code: () => exit?.code };
  const until = (is: (text: string) => boolean, what: string) => untilText(look, is, what);

  return {
    pid: () => programIdOf(child, options.isInShell ?? false),
    type: (text) => child.write(text),
    shows: (wanted) => until((text) => has(text, wanted), `without ${wanted}`),
    hides: (wanted) => until((text) => !has(text, wanted), `still with ${wanted}`),
    writes: (wanted) => until(() => bytes.includes(wanted), `without the bytes ${JSON.stringify(wanted)}`),
    screen: () => rowsOf('screen'),
    lines: () => rowsOf('all'),
    bytes: () => bytes,
    resize(cols, height) {
      emulator.resize(cols, height);
      child.resize(cols, height);
    },
    read: (isReading) => (isReading ? child.resume() : child.pause()),
    kill: (signal) => process.kill(programIdOf(child, options.isInShell ?? false), signal),
    hangUp: () => child.kill('SIGHUP'),
    shell: () => child.pid,
    wait: () => ended,
    async left() {
      await until((text) => LEFT.test(text), 'without an end');
      return LEFT.exec((await rowsOf('all')).join('\n'))?.[0] ?? '';
    },
    modes: () => openModes(bytes),
  };
}

/** Ways to look at a program: the number of its bytes, its rows, and its code when it has ended. */
interface Look {
  size(): number;
  rows(): Promise<string[]>;
  code(): number | undefined;
}

/** Resolves when the rows fit. Rejects when the program ends without that, or takes too long. */
async function untilText({ size, rows, code }: Look, is: (text: string) => boolean, what: string): Promise<void> {
  const stop = Date.now() + WAIT_MS;
  let text = '';
  for (let read = -1; ; await delay(20)) {
    const ended = code();
    // Only bytes change the rows, which take long to read when there are many.
    if (read !== size()) {
      read = size();
      text = (await rows()).join('\n');
      if (is(text)) return;
    }
    if (ended !== undefined) throw new Error(`The program ended with ${ended} ${what}:\n${text}`);
    if (Date.now() > stop) throw new Error(`After ${WAIT_MS / 1000} s ${what}:\n${text}`);
  }
}

function startProgram(args: readonly string[], options: StartTerminalOptions): IPty {
  const { workspace, columns = 80, rows = 24, env } = options;
  const [file, ...words] = options.isInShell ? ['/bin/sh', '-c', SHELL, 'sh', PROGRAM, ...args] : [PROGRAM, ...args];
  return spawn(file ?? '', words, {
    name: env?.TERM ?? 'xterm-256color',
    cols: columns,
    rows,
    cwd: workspace.path,
    env: { ...cleanEnvironment(workspace), TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env } as Record<string, string>,
  });
}

/** Returns the id of the program, which a shell may have started; NaN while there is none. */
function programIdOf({ pid }: IPty, isInShell: boolean): number {
  if (!isInShell) return pid;
  const [id = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/) ?? [];
  // A signal for 0 would go to the group of the tests.
  return Number.parseInt(id, 10);
}

const has = (text: string, wanted: string | RegExp) =>
  typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);

/** Returns an emulator, and a function that reads its rows once everything is drawn. */
function createEmulator(cols: number, rows: number) {
  const emulator = new xterm.Terminal({ cols, rows, scrollback: 200_000, allowProposedApi: true });
  emulator.loadAddon(new Unicode11Addon());
  emulator.unicode.activeVersion = '11';

  async function rowsOf(from: 'screen' | 'all'): Promise<string[]> {
    await new Promise<void>((resolve) => emulator.write('', resolve));
    const buffer = emulator.buffer.active;
    const start = from === 'screen' ? buffer.baseY : 0;
    const found: string[] = [];
    for (let row = start; row < buffer.length; row += 1) {
      const line = buffer.getLine(row);
      const text = line?.translateToString(true) ?? '';
      if (from === 'all' && line?.isWrapped && found.length > 0) found[found.length - 1] += text;
      else found.push(text);
    }
    return found;
  }

  return { emulator, rowsOf };
}

/** Returns the modes that the bytes set and do not undo: those of DEC, the keys of kitty and of xterm. A cursor is usual. */
function openModes(bytes: string): string[] {
  const open = new Set<string>();
  const set = (name: string, isOn: boolean) => void (isOn ? open.add(name) : open.delete(name));
  for (const [, mark = '', numbers = '', end = ''] of bytes.matchAll(MODES)) {
    if (mark === '?' && /[hl]/.test(end))
      for (const mode of numbers.split(';'))
        set(mode === '25' ? 'no cursor' : `?${mode}`, (end === 'h') !== (mode === '25'));
    if (/[<>]/.test(mark) && end === 'u') set('kitty keys', mark === '>');
    if (mark === '>' && end === 'm') set('other keys', numbers === '4;2');
  }
  return [...open];
}

const MODES = new RegExp(`${'\u001b'}\\[([?<>])([\\d;]*)([hlum])`, 'g');
