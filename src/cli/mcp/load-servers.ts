import { UserError } from '../../base/errors.ts';
import type { McpHttpServer, McpStdioServer } from '../../base/mcp-server-config.ts';
import { type Config, loadConfig } from '../../config/load-config.ts';
import type { LoadOptions } from '../../config/load-options.ts';
import { OFFLINE_OPTION, withOffline } from '../offline-option.ts';
import { didYouMean } from '../parse-options.ts';
import { ORIGINS } from '../wording.ts';

/** A server of config.toml. */
export type ListedServer = McpStdioServer | McpHttpServer;

/** Options of the verbs that read the configuration. */
export const SERVER_OPTIONS = {
  ...OFFLINE_OPTION,
  config: { type: 'string', short: 'c', multiple: true, value: 'KEY=VALUE', help: 'Override a setting of config.toml' },
  profile: { type: 'string', short: 'p', value: 'NAME', help: 'Use this profile' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

interface GivenOptions {
  readonly config?: readonly string[];
  readonly profile?: string;
  readonly offline?: boolean;
}

export function sourcesOf({ config, profile, offline }: GivenOptions): LoadOptions {
  return { origins: ORIGINS, overrides: withOffline(config, offline), ...(profile === undefined ? {} : { profile }) };
}

/** Returns the configuration and its servers. Throws `UserError`. */
export function loadServers(given: GivenOptions): {
  readonly config: Config;
  readonly servers: readonly ListedServer[];
} {
  const config = loadConfig(sourcesOf(given));
  return { config, servers: config.tools.mcp.servers.filter((server) => server.type !== 'object') };
}

/** Returns the configuration and one of its servers. Throws `UserError` if there is no such server. */
export function loadServer(
  given: GivenOptions,
  name: string,
): { readonly config: Config; readonly server: ListedServer } {
  const { config, servers } = loadServers(given);
  const server = servers.find((one) => one.name === name);
  if (server !== undefined) return { config, server };
  const meant = didYouMean(
    name,
    servers.map((one) => one.name),
  );
  throw new UserError('not_found', `There is no MCP server "${name}".${meant} oxbow mcp list shows all.`);
}

/** Returns the configuration and a server behind an address, which is the only kind with a sign-in. Throws `UserError`. */
export function loadHttpServer(given: GivenOptions, name: string) {
  const { config, server } = loadServer(given, name);
  if (server.type === 'http') return { config, server };
  throw new UserError('invalid_input', `The MCP server "${name}" is a program, which has no sign-in.`);
}
