/** The controlling terminal of the process: bytes in, bytes out, and its modes. */
export interface TerminalDevice {
  /** Writes bytes without ever blocking. Calls back when the system took them. */
  write(bytes: string, done: () => void): void;
  size(): { readonly columns: number; readonly rows: number };
  onInput(listener: (bytes: Uint8Array) => void): void;
  onResize(listener: () => void): void;
  /**
   * Begins the watch, then reads keys one by one. Until then nothing of the terminal is changed, so that a sudden death leaves
   * it as it was. Resolves when keys are read one by one.
   */
  begin(): Promise<void>;
  /** Gives the terminal to another program: cooked mode, and no input is read. */
  pause(): void;
  resume(): void;
  /** Stops this process as Ctrl-Z of a shell does. Resolves when it goes on. */
  stop(): Promise<void>;
  close(): Promise<void>;
}
