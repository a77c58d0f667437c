import { closeSync, constants, openSync, readSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ReadStream, WriteStream } from 'node:tty';

/** A line that was typed, or the reason why there is none. */
export type TypedLine =
  | { readonly type: 'line'; readonly text: string }
  /** More than one line came at once, which no person types. */
  | { readonly type: 'pasted' }
  /** Ctrl-C was typed while the terminal did not make a signal of it. */
  | { readonly type: 'interrupt' }
  /** The input has ended, or the terminal is gone. */
  | { readonly type: 'gone' };

/** The controlling terminal while a question is open. */
export interface QuestionTerminal {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
  /**
   * Reads a line that is typed after the prompt was shown. Bytes that came before are discarded. Rejects when the signal
   * aborts.
   */
  readLine(prompt: string, signal: AbortSignal): Promise<TypedLine>;
  close(): void;
}

const PATH = '/dev/tty';
const { O_NOCTTY, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Time without input after which a person, not a paste, is at the keyboard. */
const QUIET_MS = 150;

const INTERRUPT_BYTE = 0x03;

/** Opens the controlling terminal of the process. Throws where there is none. */
export function openQuestionTerminal(): QuestionTerminal {
  const output = new WriteStream(openSync(PATH, O_WRONLY | O_NOCTTY));
  // A terminal that is gone is noticed by the reader.
  output.on('error', () => undefined);
  return {
    columns: output.columns || 80,
    rows: output.rows || 24,
    write: (text) => void output.write(text),
    readLine: (prompt, signal) => readLine(prompt, signal, (text) => void output.write(text)),
    close: () => void output.destroy(),
  };
}

/** The input of the terminal, opened for one line: an editor may read the terminal before the next one. */
interface LineInput {
  readonly stream: ReadStream;
  /** A descriptor that never blocks. */
  readonly descriptor: number;
}

async function readLine(prompt: string, signal: AbortSignal, write: (text: string) => void): Promise<TypedLine> {
  const input = openInput();
  if (!input) return { type: 'gone' };
  try {
    if (await awaitQuiet(input, signal)) return { type: 'interrupt' };
    write(prompt);
    const text = await nextLine(input.stream, signal);
    if (text === undefined) return { type: 'gone' };
    const more = discardInput(input);
    if (more.includes(INTERRUPT_BYTE)) return { type: 'interrupt' };
    return more.length > 0 || /[\r\n]./s.test(text) ? { type: 'pasted' } : { type: 'line', text: text.trimEnd() };
  } finally {
    input.stream.destroy();
    closeSync(input.descriptor);
  }
}

function openInput(): LineInput | undefined {
  try {
    const descriptor = openSync(PATH, O_RDONLY | O_NOCTTY | O_NONBLOCK);
    const stream = new ReadStream(openSync(PATH, O_RDONLY | O_NOCTTY));
    // A stream that fails also closes.
    stream.on('error', () => undefined);
    return { stream, descriptor };
  } catch {
    return undefined;
  }
}

/** Discards input until none comes for a while. Reports whether Ctrl-C was part of it. */
async function awaitQuiet(input: LineInput, signal: AbortSignal): Promise<boolean> {
  let found = discardInput(input);
  do {
    if (found.includes(INTERRUPT_BYTE)) return true;
    await delay(QUIET_MS, undefined, { signal });
    found = discardInput(input);
  } while (found.length > 0);
  return false;
}

/** Resolves with the next line and its end, or undefined at the end of the input. */
function nextLine(input: ReadStream, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const onAbort = () => reject(signal.reason);
    const finish = (text: string | undefined) => {
      signal.removeEventListener('abort', onAbort);
      resolve(text);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    if (input.destroyed) finish(undefined);
    for (const end of ['end', 'error', 'close']) input.on(end, () => finish(undefined));
    input.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      if (/[\r\n]/.test(text)) finish(text);
    });
  });
}

/**
 * Discards everything that was typed so far, and returns it. A line that is not finished can be read only in raw mode,
 * which lasts no longer than this call.
 */
function discardInput({ stream, descriptor }: LineInput): Buffer {
  const found: Buffer[] = [];
  stream.setRawMode(true);
  try {
    for (let length = -1; length !== 0; ) {
      const block = Buffer.alloc(4096);
      length = readSync(descriptor, block);
      found.push(block.subarray(0, length));
    }
  } catch {
    // Nothing is left to read, or the terminal is gone.
  } finally {
    stream.setRawMode(false);
  }
  return Buffer.concat(found);
}
