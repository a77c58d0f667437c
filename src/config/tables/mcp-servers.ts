import { UserError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import type {
  McpApprovalMode,
  McpHttpServer,
  McpServerConfig,
  McpServerSettings,
  McpStdioServer,
} from '../../base/mcp-server-config.ts';
import { keyText } from '../setting/key-text.ts';
import { COUNT, FILE, FLAG, isStrings, oneOf, parsed, TEXT, TEXT_MAP, TEXTS } from '../setting/kinds.ts';
import { type GivenValues, readGiven, setting } from '../setting/setting.ts';
import type { SettingsReader } from '../setting/settings-reader.ts';

const APPROVAL = oneOf('auto', 'prompt', 'writes', 'approve');

/** Names of variables. An entry may be a table with `name`, as in Codex, whose `source` says on which machine. */
const VARIABLES = parsed('a list of strings', ({ value }) => {
  if (!Array.isArray(value)) return undefined;
  const names = value.map((entry: unknown) => (isRecord(entry) ? entry.name : entry));
  return isStrings(names) ? names : undefined;
});

export const MCP_STDIO_SETTINGS = {
  /** Program of the server, which is started without a shell. */
  command: setting('mcp_servers.*.command', TEXT),
  /** Arguments of the program. */
  args: setting('mcp_servers.*.args', TEXTS, { default: [] }),
  /** Variable that the program gets, such as `env = { LOG = "1" }`. */
  env: setting('mcp_servers.*.env.*', TEXT_MAP, { default: {} }),
  /** Names of variables of yours that the program gets besides [the usual ones](mcp.md#programs). */
  envVars: setting('mcp_servers.*.env_vars', VARIABLES, { default: [] }),
  /**
   * Working folder of the program.
   * @default that of the agent
   */
  cwd: setting('mcp_servers.*.cwd', FILE),
};

export const MCP_HTTP_SETTINGS = {
  /** Address of a server that is not a program on this machine. */
  url: setting('mcp_servers.*.url', TEXT),
  /** Variable with a bearer token for the server. */
  bearerTokenEnvVar: setting('mcp_servers.*.bearer_token_env_var', TEXT),
  /** Header of every request to the server. */
  headers: setting('mcp_servers.*.http_headers.*', TEXT_MAP, { default: {} }),
  /** Variable with the value of a header. */
  envHeaders: setting('mcp_servers.*.env_http_headers.*', TEXT_MAP, { default: {} }),
  /**
   * Scopes to ask for at a sign-in.
   * @default those that the server names
   */
  scopes: setting('mcp_servers.*.scopes', TEXTS),
  /** Id of a client that is registered at the server already. */
  clientId: setting('mcp_servers.*.oauth.client_id', TEXT),
  /** Variable with the secret of that client. */
  clientSecretEnvVar: setting('mcp_servers.*.oauth.client_secret_env_var', TEXT),
  /**
   * Resource that a sign-in asks a token for.
   * @default the address of the server
   */
  resource: setting('mcp_servers.*.oauth_resource', TEXT),
};

export const MCP_SERVER_SETTINGS = {
  /**
   * Whether the server is used.
   * @default `true`
   */
  enabled: setting('mcp_servers.*.enabled', FLAG),
  /**
   * Whether no thread starts without the server.
   * @default `false`
   */
  required: setting('mcp_servers.*.required', FLAG),
  /**
   * Seconds that the server may take to start.
   * @default `30`
   */
  startupTimeoutSec: setting('mcp_servers.*.startup_timeout_sec', COUNT),
  /** The same in milliseconds. `startup_timeout_sec` beats it. */
  startupTimeoutMs: setting('mcp_servers.*.startup_timeout_ms', COUNT),
  /**
   * Seconds without progress after which a call is cancelled.
   * @default `300`
   */
  toolTimeoutSec: setting('mcp_servers.*.tool_timeout_sec', COUNT),
  /**
   * The only tools of the server that are offered.
   * @default all
   */
  enabledTools: setting('mcp_servers.*.enabled_tools', TEXTS),
  /** Tools of the server that are not offered. */
  disabledTools: setting('mcp_servers.*.disabled_tools', TEXTS, { default: [] }),
  /**
   * Whether all tools of the server may run at the same time as other calls. Otherwise only those may that say that they
   * only read.
   * @default `false`
   */
  parallelCalls: setting('mcp_servers.*.supports_parallel_tool_calls', FLAG),
  /**
   * [When you are asked](mcp.md#approval) about a call.
   * @default `auto`
   */
  approval: setting('mcp_servers.*.default_tools_approval_mode', APPROVAL),
  /**
   * Whether the server may [ask for messages of the model](mcp.md#sampling).
   * @default `mcp_sampling`
   */
  sampling: setting('mcp_servers.*.sampling', FLAG),
  /**
   * Most bytes of the schema of one tool. A larger one loses its descriptions, then its inner parts.
   * @default `8192`
   */
  schemaMaxBytes: setting('mcp_servers.*.tool_input_schema_max_bytes', COUNT),
};

export const MCP_TOOL_SETTINGS = {
  /** When you are asked about a call of this tool. Beats `default_tools_approval_mode`. */
  approval: setting('mcp_servers.*.tools.*.approval_mode', APPROVAL),
  /**
   * Tokens of an output of this tool that the model gets.
   * @default `tool_output_token_limit`
   */
  outputTokens: setting('mcp_servers.*.tools.*.output_token_limit', COUNT),
};

/**
 * Reads the `[mcp_servers.NAME]` tables. `sampling` counts for a server that does not set it. Throws `UserError` for a
 * table that makes no sense.
 */
export function readMcpServers(reader: SettingsReader, sampling: boolean): readonly McpServerConfig[] {
  return reader.keys(['mcp_servers']).map((name) => readServer(reader, name, sampling));
}

function readServer(reader: SettingsReader, name: string, sampling: boolean): McpServerConfig {
  if (reader.keys(['mcp_servers', name]).includes('bearer_token'))
    throw wrong(name, 'has a bearer_token, which would stand in the file. Name its variable in bearer_token_env_var.');
  const stdio = readGiven(MCP_STDIO_SETTINGS, reader, name);
  const http = readGiven(MCP_HTTP_SETTINGS, reader, name);
  if (stdio.command !== undefined && stdio.command !== '') {
    forbidOthers(reader, name, MCP_HTTP_SETTINGS, 'a command');
    return stdioServer(stdio.command, stdio, settingsOf(reader, name, sampling));
  }
  if (http.url === undefined) throw wrong(name, 'has neither a command nor a url. Set one of them.');
  forbidOthers(reader, name, MCP_STDIO_SETTINGS, 'a url');
  if (!/^https?:$/.test(protocolOf(http.url)))
    throw wrong(name, 'has a url that is not an address. It begins with http:// or https://.');
  return httpServer(http.url, http, settingsOf(reader, name, sampling));
}

function stdioServer(
  command: string,
  { args = [], env = {}, envVars = [], cwd }: GivenValues<typeof MCP_STDIO_SETTINGS>,
  settings: McpServerSettings,
): McpStdioServer {
  return { ...settings, type: 'stdio', command, args, env, envVars, cwd: cwd ?? null };
}

function httpServer(
  url: string,
  given: GivenValues<typeof MCP_HTTP_SETTINGS>,
  settings: McpServerSettings,
): McpHttpServer {
  const { headers = {}, envHeaders = {}, bearerTokenEnvVar = null, clientId = null, clientSecretEnvVar = null } = given;
  const { scopes = null, resource = null } = given;
  const oauth = { clientId, clientSecretEnvVar, scopes, resource };
  return { ...settings, type: 'http', url, headers, envHeaders, bearerTokenEnvVar, oauth };
}

const STARTUP_MS = 30_000;
const TOOL_MS = 300_000;

function settingsOf(reader: SettingsReader, name: string, sampling: boolean): McpServerSettings {
  const given = readGiven(MCP_SERVER_SETTINGS, reader, name);
  const { startupTimeoutSec, startupTimeoutMs, toolTimeoutSec } = given;
  const tools = reader.keys(['mcp_servers', name, 'tools']).map((tool) => ({
    tool,
    ...readGiven(MCP_TOOL_SETTINGS, reader, name, tool),
  }));
  return {
    name,
    enabled: given.enabled ?? true,
    required: given.required ?? false,
    startupTimeoutMs: startupTimeoutSec === undefined ? (startupTimeoutMs ?? STARTUP_MS) : startupTimeoutSec * 1000,
    toolTimeoutMs: toolTimeoutSec === undefined ? TOOL_MS : toolTimeoutSec * 1000,
    enabledTools: given.enabledTools ?? null,
    disabledTools: given.disabledTools ?? [],
    parallelCalls: given.parallelCalls ?? false,
    approval: given.approval ?? 'auto',
    toolApprovals: valuesOf<McpApprovalMode>(tools.map(({ tool, approval }) => [tool, approval])),
    toolOutputTokens: valuesOf<number>(tools.map(({ tool, outputTokens }) => [tool, outputTokens])),
    ...((given.sampling ?? sampling) ? { sampling: true } : {}),
    ...(given.schemaMaxBytes === undefined ? {} : { schemaMaxBytes: given.schemaMaxBytes }),
  };
}

function valuesOf<V>(entries: readonly (readonly [string, V | undefined])[]): Readonly<Record<string, V>> {
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, V] => entry[1] !== undefined));
}

/** Throws `UserError` if a table has a key that only servers of the other kind have. */
function forbidOthers(
  reader: SettingsReader,
  name: string,
  others: Readonly<Record<string, { readonly key: string }>>,
  has: string,
): void {
  for (const { key } of Object.values(others)) {
    const words = key.split('.').slice(2);
    const path = words.at(-1) === '*' ? words.slice(0, -1) : words;
    if (reader.found(['mcp_servers', name, ...path]) !== undefined)
      throw wrong(name, `has ${has}, so that ${path.join('.')} has no place in it. Remove one of the two.`);
  }
}

function protocolOf(url: string): string {
  try {
    return new URL(url).protocol;
  } catch {
    return '';
  }
}

function wrong(name: string, what: string): UserError {
  return new UserError('invalid_config', `[${keyText(['mcp_servers', name])}] ${what}`);
}
