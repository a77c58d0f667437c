import type { TerminalSize } from '../../base/environment.ts';
import type { OutputEvents } from './read-output.ts';

/** A running process, on a pipe or a terminal. */
export interface StartedProcess {
  /** Number of the process that leads a group and a session of its own, or of its supervisor. */
  readonly pid: number;
  /**
   * Whether the process ends everything that it started when it gets SIGTERM. Such a process must not be killed before.
   */
  readonly isSupervised: boolean;
  /** Sends a signal to the group of the command. */
  signal(name: NodeJS.Signals): void;
  /** Types into the process. Throws `ToolFailure` where the input is closed. */
  write(chars: string): Promise<void>;
  /** Absent where the process has no terminal. */
  resize?(size: TerminalSize): void;
  /** Drops further output, which no longer keeps our process alive. */
  abandonOutput(): void;
}

export interface ProcessEvents extends OutputEvents {
  exited(exitCode: number): void;
}
