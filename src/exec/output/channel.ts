import { closeSync } from 'node:fs';
import type { TerminalSize } from '../../base/environment.ts';
import type { OutputPipe } from './output-pipes.ts';
import { type OutputEvents, readOutput } from './read-output.ts';

/** What connects a process to us. */
export interface Channel {
  /** The descriptor that the process gets. */
  readonly inner: number;
  /** Absent where nothing can be typed. */
  readonly keyboard?: Keyboard;
  /** A process has it now. */
  handedOver(): void;
  /** Reads to the end. `whenExited` tells when the process has ended. */
  read(whenExited: (then: () => void) => void, events: OutputEvents): Reading;
  /** No process was started with it: closes both ends. */
  abandon(): void;
}

export interface Keyboard {
  /** Where the process finds its terminal. */
  readonly path: string;
  /** Resolves when all is typed, or waits to be taken by a process that is busy. */
  write(chars: string): Promise<void>;
  resize(size: TerminalSize): void;
}

export interface Reading {
  /** Goes on, but does not keep our process alive. */
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
