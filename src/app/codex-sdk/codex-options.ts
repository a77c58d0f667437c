/** The names and meanings of the Codex SDK. */
export interface CodexOptions {
  /** Understood and not needed: nothing is spawned. */
  readonly codexPathOverride?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Settings of config.toml, as a tree. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Settings as `key=value` with TOML values; they win over `config`. */
  readonly configOverrides?: readonly string[];
  /** Instead of the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}
