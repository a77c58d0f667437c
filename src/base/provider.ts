import type { Compat, WireName } from './wire.ts';

/** A provider serves a model: data, not code. */
export interface Provider {
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** URL without a slash at its end. */
  readonly baseUrl: string;
  /** The wire that the server speaks. With `auto`, the first wire of the registry whose path the server has. */
  readonly wire: 'auto' | WireName;
  /** Name of the variable that holds the key. Absent if the server needs no key. */
  readonly envKey?: string;
  readonly envKeyInstructions?: string;
  /** Key from the config file. */
  readonly bearerToken?: string;
  /** Program that prints the key. */
  readonly auth?: TokenProgram;
  /** Whether the sign-in of OpenAI (auth.json, OPENAI_API_KEY) is used. */
  readonly openaiAuth: boolean;
  /** Whether requests carry the token of a sign-in with ChatGPT. */
  readonly chatgpt?: true;
  readonly queryParams: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Names of headers, each with the variable that holds its value. A header is left out if its variable is unset or
   * blank.
   */
  readonly envHeaders: Readonly<Record<string, string>>;
  /** Path of the certificate that requests show to a server that speaks TLS, in PEM form. */
  readonly clientCertificate?: string;
  /** Path of the key of that certificate. Absent if the file of the certificate has it. */
  readonly clientKey?: string;
  readonly requestMaxRetries: number;
  readonly streamMaxRetries: number;
  readonly streamIdleTimeoutMs: number;
  readonly compat: Compat;
  /** The model to ask if no model is configured. */
  readonly defaultModel?: string;
}

/** Files in PEM form by which a client shows who it is. */
export interface ClientCertificate {
  /** Path of the certificate, with those of the authorities between it and the root. */
  readonly certificate: string;
  /** Path of the private key. */
  readonly key: string;
}

/** A program of the user that prints the key of a provider. */
export interface TokenProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly timeoutMs: number;
  /** Milliseconds after which the program runs again. 0: only when the server refuses the key. */
  readonly refreshIntervalMs: number;
}

/** Settings of a `[model_providers.x]` table. The rest comes from the built-in entry of that name or from defaults. */
export type ProviderSettings = Partial<Omit<Provider, 'id' | 'compat' | 'chatgpt'>> & {
  readonly compat?: Partial<Compat>;
};
