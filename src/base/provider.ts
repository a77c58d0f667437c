import type { Compat, WireName } from './wire.ts';

/** Who serves a model: data, not code. */
export interface Provider {
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** The wire that its server speaks. `auto`: the first one, in the order of the registry, whose path the server has. */
  readonly wire: 'auto' | WireName;
  /** The variable that holds the key; absent: the server wants none. */
  readonly envKey?: string;
  readonly envKeyInstructions?: string;
  /** A key written into the config file. */
  readonly bearerToken?: string;
  /** Whether the sign-in of OpenAI (auth.json, OPENAI_API_KEY) is used. */
  readonly openaiAuth: boolean;
  readonly queryParams: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Header → the variable with its value; left out when unset or blank. */
  readonly envHeaders: Readonly<Record<string, string>>;
  readonly requestMaxRetries: number;
  readonly streamMaxRetries: number;
  readonly streamIdleTimeoutMs: number;
  readonly compat: Compat;
  /** The model that is asked where no model is configured. */
  readonly defaultModel?: string;
}

/** What a `[model_providers.x]` table says; the rest comes from the built-in entry of that name or from defaults. */
export type ProviderSettings = Partial<Omit<Provider, 'id' | 'compat'>> & { readonly compat?: Partial<Compat> };
