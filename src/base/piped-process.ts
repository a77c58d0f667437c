/** A process that is spoken to over its standard streams, such as a server of tools. */
export interface PipedProcess {
  readonly pid: number;
  /** Bytes of its output as they arrive. To be read once; while no one reads, the process has to wait. */
  readonly output: AsyncIterable<Uint8Array>;
  /** Bytes of its error output. */
  readonly errors: AsyncIterable<Uint8Array>;
  /** Writes to its input. Resolves when there is room for more; rejects when the input is closed. */
  write(bytes: Uint8Array | string): Promise<void>;
  /** Ends its input, on which most programs end themselves. */
  endInput(): void;
  /** Resolves with the exit code when it has ended: 128 + n when signal n ended it. */
  readonly ended: Promise<number>;
  /** Ends it and everything it started, also processes that left its group, and waits until they are gone. */
  kill(): Promise<void>;
}
