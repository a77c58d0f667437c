import { McpFault } from '../../base/mcp-fault.ts';
import type { McpHttpServer } from '../../base/mcp-server-config.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the headers that the configuration has for a server. Throws `McpFault` for a variable that is not set. */
export function httpHeaders(
  { name, headers, envHeaders, bearerTokenEnvVar }: McpHttpServer,
  env: Variables,
): Readonly<Record<string, string>> {
  const read = (variable: string, use: string) => {
    const value = env[variable]?.trim();
    if (value) return value;
    throw new McpFault(
      'start',
      `The MCP server "${name}" needs the environment variable ${variable} for ${use}. Set it.`,
    );
  };
  const fromVariables = Object.entries(envHeaders).map(([header, variable]) => [
    header,
    read(variable, `its header ${header}`),
  ]);
  const token = bearerTokenEnvVar === null ? {} : { Authorization: `Bearer ${read(bearerTokenEnvVar, 'its token')}` };
  return { ...headers, ...Object.fromEntries(fromVariables), ...token };
}
