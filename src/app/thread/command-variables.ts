import type { McpServerConfig } from '../../base/mcp-server-config.ts';
import type { Provider } from '../../base/provider.ts';
import type { Config } from '../../config/load-config.ts';
import type { ShellEnvironmentPolicy } from '../../exec/process/command-environment.ts';

/** Variables that hold no secrets and that commands need. */
const NEEDED = 'PATH SHELL TMPDIR TEMP TMP HOME LANG LC_ALL LC_CTYPE LOGNAME USER'.split(' ');

/**
 * Returns which variables commands get, as configured. Variables with credentials under any name are withheld too: keys
 * and headers of providers and MCP servers, and keys of the gateway's clients.
 */
export function commandVariables(
  { shellEnvironment, modelProviders, gateway, tools }: Config,
  provider?: Provider,
): ShellEnvironmentPolicy {
  const ofProviders = [...(provider ? [provider] : []), ...Object.values(modelProviders)].flatMap(
    ({ envKey, envHeaders = {} }) => [...(envKey === undefined ? [] : [envKey]), ...Object.values(envHeaders)],
  );
  const secret = [...ofProviders, ...gateway.keyEnv, ...tools.mcp.servers.flatMap(secretsOf)].filter(
    (name) => !NEEDED.includes(name),
  );
  return { ...shellEnvironment, secret: [...new Set(secret)] };
}

/** Returns the variables with credentials of an MCP server. */
function secretsOf(server: McpServerConfig): readonly string[] {
  if (server.type !== 'http') return [];
  const { bearerTokenEnvVar, envHeaders, oauth } = server;
  const names = [bearerTokenEnvVar, oauth.clientSecretEnvVar].filter((name) => name !== null);
  return [...names, ...Object.values(envHeaders)];
}
