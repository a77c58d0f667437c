import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

export interface TerminalWatchOptions {
  /** Descriptor of the terminal. */
  readonly terminal: number;
  /** Bytes that undo the modes of the terminal after a sudden death. */
  readonly undo: string;
  /** Settings of the terminal that are restored, as `stty` understands them. Default: those that it has now. */
  readonly settings?: string | undefined;
}

export interface TerminalWatch {
  /**
   * Resolves when the settings of the terminal were noted, with false if that failed. The terminal may be changed from then
   * on.
   */
  readonly ready: Promise<boolean>;
  /** Ends the watch. The terminal is left as it is. */
  stop(): void;
}

/**
 * The first line of input comes when the watch is to end. Without a line the input ends with the process that we watch. The
 * bytes are an argument in octal, which the shell's own printf reads.
 */
const SCRIPT = `trap '' HUP INT QUIT TERM TSTP TTIN TTOU PIPE
saved=\${2:-$(stty -g <&3)}
[ -n "$saved" ] || exit 1
echo ready
exec >&3 3>&-
IFS= read -r line && exit 0
printf "$1"
exec stty "$saved" <&1`;

/**
 * Starts a small process that holds a pipe to this one. When this process ends in any way, the other one undoes the modes
 * of the terminal and restores its settings, then ends too. It is in a session of its own, so that no key and no signal
 * for this process reaches it. Without a shell or `stty` there is no watch.
 */
export function watchTerminal({ terminal, undo, settings = '' }: TerminalWatchOptions): TerminalWatch {
  const octal = [...Buffer.from(undo)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', octal, settings], {
    stdio: ['pipe', 'pipe', 'ignore', terminal],
    detached: true,
    cwd: '/',
  });
  child.unref();
  const { stdin: input, stdout: output } = child;
  // The process may end before us, for want of a program or of the terminal.
  input?.on('error', () => undefined);
  const ready = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    output?.once('data', () => resolve(true));
    output?.once('close', () => resolve(false));
  });
  void ready.then(() => output?.destroy());
  if (input instanceof Socket) input.unref();
  return { ready, stop: () => void input?.end('stop\n') };
}
