import type { McpObjectServer, McpServerObject } from '../../base/mcp-server-config.ts';
import type { LoadOptions } from '../../config/load-config.ts';
import type { Settings } from '../../config/settings.ts';

/** Settings of an MCP server, with the keys of its table in config.toml. */
export type McpServerTable = NonNullable<Settings['mcp_servers']>[string];

/** MCP servers by their names: tables as in config.toml, or server objects of an MCP SDK that run in this process. */
export type McpServerOptions = Readonly<Record<string, McpServerTable | McpServerObject>>;

/** Options with the tables of `mcpServers` among their settings, and the servers that are objects. */
export interface SplitMcpServers<T> {
  readonly options: T;
  readonly objects: readonly McpObjectServer[];
}

/** Splits the option `mcpServers` of an agent. A table takes the place of the one of the same name in the settings. */
export function splitMcpServers<T extends LoadOptions & { readonly mcpServers?: McpServerOptions }>(
  options: T,
): SplitMcpServers<T> {
  const { mcpServers, settings } = options;
  if (mcpServers === undefined) return { options, objects: [] };
  const tables: Record<string, McpServerTable> = {};
  const objects: McpObjectServer[] = [];
  for (const [name, server] of Object.entries(mcpServers)) {
    if (isServerObject(server)) objects.push(objectServer(name, server));
    else tables[name] = server;
  }
  const merged = { ...settings, mcp_servers: { ...settings?.mcp_servers, ...tables } };
  return { options: { ...options, settings: merged }, objects };
}

function isServerObject(server: McpServerTable | McpServerObject): server is McpServerObject {
  return 'connect' in server && typeof server.connect === 'function';
}

/** Returns the configuration of a server object. Its code is the program's own, so that the program answers for its hints. */
function objectServer(name: string, server: McpServerObject): McpObjectServer {
  return {
    type: 'object',
    name,
    server,
    enabled: true,
    required: false,
    startupTimeoutMs: 30_000,
    toolTimeoutMs: 300_000,
    enabledTools: null,
    disabledTools: [],
    parallelCalls: false,
    approval: 'auto',
    toolApprovals: {},
  };
}
