import { closeSync } from 'node:fs';
import type { TerminalSize } from '../../base/environment.ts';
import type { OutputPipe } from './output-pipes.ts';
import { type OutputEvents, readOutput } from './read-output.ts';

/** A channel connects a process to us: a pipe or a terminal. */
export interface Channel {
  /** Descriptor for the process. */
  readonly inner: number;
  /** Input of a terminal. Absent for a pipe. */
  readonly keyboard?: Keyboard;
  /** Called when the process has its descriptor. */
  handedOver(): void;
  /** Reads the output to its end. `whenExited` calls back when the process has exited. */
  read(whenExited: (then: () => void) => void, events: OutputEvents): Reading;
  /** Closes both ends. Called when no process was started on the channel. */
  abandon(): void;
}

export interface Keyboard {
  /** Path of the terminal, for the process. */
  readonly path: string;
  /** Resolves when all characters are typed, or wait for a process that is busy. */
  write(chars: string): Promise<void>;
  resize(size: TerminalSize): void;
}

export interface Reading {
  /** Lets our process exit while the reading goes on. */
  unref(): unknown;
}

export function pipeChannel(pipe: OutputPipe): Channel {
  return {
    inner: pipe.writer,
    handedOver: () => closeSync(pipe.writer),
    read: (whenExited, events) => readOutput(pipe, whenExited, events),
    abandon: pipe.abandon,
  };
}
