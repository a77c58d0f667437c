/** A value of a setting, as TOML has it. */
export type CodexConfigValue = string | number | boolean | CodexConfigValue[] | CodexConfigObject;

/** A table of settings. */
export type CodexConfigObject = { [key: string]: CodexConfigValue };

/** Options of a `Codex`, with the names and meanings of the Codex SDK. */
export type CodexOptions = {
  /** Accepted and ignored: no process is spawned. */
  codexPathOverride?: string;
  /** URL of the server, instead of that of OpenAI. */
  baseUrl?: string;
  /** Key for the server. */
  apiKey?: string;
  /** Settings of config.toml as a tree. */
  config?: CodexConfigObject;
  /** Settings as `key=value` with TOML values. They win over `config`. */
  configOverrides?: string[];
  /** Variables that replace the environment of this process. */
  env?: Record<string, string>;
};
