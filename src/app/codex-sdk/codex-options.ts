/** Options of a `Codex`, with the names and meanings of the Codex SDK. */
export interface CodexOptions {
  /** Accepted and ignored: no process is spawned. */
  readonly codexPathOverride?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Settings of config.toml as a tree. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Settings as `key=value` with TOML values. They win over `config`. */
  readonly configOverrides?: readonly string[];
  /** Variables that replace the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}
