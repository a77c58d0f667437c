/** An entry of a file with credentials. Fields that its owner does not know are kept. */
export type CredentialsEntry = Readonly<Record<string, unknown>>;

/** The file with credentials in the home, shared by all processes. Every method throws `UserError`. */
export interface CredentialsFile {
  /** Returns the entries by name. */
  read(): Promise<Readonly<Record<string, CredentialsEntry>>>;
  /**
   * Replaces an entry by the entry that `change` returns, or removes it for undefined, and returns the new one. No other
   * process changes the file meanwhile, so that a token is refreshed once: `change` sees the entry that the last process
   * wrote.
   */
  update(
    name: string,
    change: (entry: CredentialsEntry | undefined) => Promise<CredentialsEntry | undefined>,
  ): Promise<CredentialsEntry | undefined>;
}
