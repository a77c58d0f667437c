import type { TerminalSize } from '../../base/environment.ts';
import type { OutputEvents } from './read-output.ts';

/** A process that runs, however it is connected to us. */
export interface StartedProcess {
  /** Leads a process group and a session of its own, or supervises what does. */
  readonly pid: number;
  /** Whether it ends all that it started when it gets SIGTERM, and must not be killed before. */
  readonly isSupervised: boolean;
  /** Types into it. Throws `ToolFailure` where its input is closed. */
  write(chars: string): Promise<void>;
  /** Absent where it has no window. */
  resize?(size: TerminalSize): void;
  /** Output that still comes is read and dropped, and no longer keeps our process alive. */
  abandonOutput(): void;
}

export interface ProcessEvents extends OutputEvents {
  exited(exitCode: number): void;
}
