import type { WriteStream } from 'node:tty';
import { createTerminalWriter, loadWatch, type TerminalWatch } from '../../app/commands/own-terminal.ts';
import { leaveTerminal } from '../../node-internals/leave-terminal.ts';
import { readTerminalSettings } from '../../node-internals/read-terminal-settings.ts';
import type { TerminalDevice } from '../../tui/terminal-device.ts';

/**
 * Opens the terminal of standard input and output. A small process watches this one, and restores the terminal if this one
 * dies without doing so.
 */
export function openTerminalDevice(undo: string): TerminalDevice {
  const { stdin, stdout } = process;
  let watch: TerminalWatch | undefined;
  let isClosed = false;
  /** Time when keys began to be read one by one. */
  let rawAt = Number.POSITIVE_INFINITY;
  const isRaw = () => performance.now() - rawAt > EARLY_MS;
  const writer = createTerminalWriter(stdout.fd);
  const setRaw = (isRaw: boolean) => void stdin.setRawMode(isRaw);
  const pause = () => {
    stdin.pause();
    setRaw(false);
  };
  const resume = () => {
    setRaw(true);
    stdin.resume();
  };
  // The terminal is gone. The signal that comes with it ends the process.
  stdin.on('error', leaveTerminal);
  const takeKeys = () => {
    if (isClosed) return;
    resume();
    rawAt = performance.now();
  };
  const startWatch = async (settings: string | undefined) => {
    const { watchTerminal } = await loadWatch();
    if (isClosed) return;
    watch = watchTerminal({ terminal: stdout.fd, undo, settings });
    // A process that was started will meet our end, however late it runs. Only its own look at the settings is waited for.
    if (settings === undefined) await watch.ready;
  };
  return {
    write: writer.write,
    size: () => sizeOf(stdout),
    onInput: (listener) => void stdin.on('data', (bytes: Buffer) => listener(isRaw() ? bytes : asTyped(bytes))),
    onResize: (listener) => void stdout.on('resize', listener),
    pause,
    resume,
    stop: () =>
      new Promise((resolve) => {
        process.once('SIGCONT', resolve);
        process.kill(process.pid, 'SIGTSTP');
      }),
    async begin() {
      await startWatch(readTerminalSettings(stdin.fd));
      takeKeys();
    },
    async close() {
      stdin.removeAllListeners('data');
      pause();
      stdin.unref();
      writer.close();
      isClosed = true;
      watch?.stop();
    },
  };
}

/** Input that was typed before keys are read one by one comes within this time after it. */
const EARLY_MS = 20;

/** Returns early input as it was typed: until then the terminal makes a line feed of Enter. */
const asTyped = (bytes: Buffer) => bytes.map((byte) => (byte === 0x0a ? 0x0d : byte));

/** Returns the size of the terminal. One that does not know its size has the usual one. */
const sizeOf = ({ columns, rows }: WriteStream) => ({ columns: columns || 80, rows: rows || 24 });
