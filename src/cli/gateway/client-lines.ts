import { UsageError } from '../parse-options.ts';

/** Facts that a client needs to use the gateway. */
export interface GatewayFacts {
  /** URL with the path, such as `http://127.0.0.1:4141/v1`. */
  readonly baseUrl: string;
  /** Variable with the key. Undefined when the gateway asks for none. */
  readonly keyEnv: string | undefined;
  readonly model: string | undefined;
}

/** Returns the lines that make a client use the gateway. Throws `UsageError` for an unknown client. */
export function clientLines(client: string, facts: GatewayFacts): string {
  const lines = Object.hasOwn(CLIENTS, client) ? CLIENTS[client] : undefined;
  if (lines !== undefined) return `${lines(facts).join('\n')}\n`;
  throw new UsageError(`--for knows ${Object.keys(CLIENTS).join(', ')}, not "${client}".`);
}

const CLIENTS: Readonly<Record<string, (facts: GatewayFacts) => readonly string[]>> = { codex };

/** Returns lines for Codex's config.toml. Keys after a table would belong to that table, so they come first. */
function codex({ baseUrl, keyEnv, model }: GatewayFacts): string[] {
  return [
    '# At the top of ~/.codex/config.toml:',
    ...(model === undefined ? [] : [`model = ${JSON.stringify(model)}`]),
    'model_provider = "oxbow"',
    '',
    '# Further down:',
    '[model_providers.oxbow]',
    'name = "Oxbow"',
    `base_url = ${JSON.stringify(baseUrl)}`,
    'wire_api = "responses"',
    'supports_websockets = false',
    ...(keyEnv === undefined ? [] : [`env_key = ${JSON.stringify(keyEnv)}`]),
  ];
}
