import type { McpServerConfig } from '../../base/mcp-server-config.ts';
import { COUNT, FLAG, oneOf, TEXT } from '../setting/kinds.ts';
import { readTable, setting, type ValuesOf } from '../setting/setting.ts';
import type { SettingsReader } from '../setting/settings-reader.ts';
import { readMcpServers } from './mcp-servers.ts';

export const MCP_SETTINGS = {
  /** Milliseconds that the first request of a thread waits for servers that are still starting. */
  startupGraceMs: setting('mcp_startup_grace_ms', COUNT, {
    default: 3000,
    older: setting('mcp_optional_startup_grace_ms', COUNT),
  }),
  /** Whether servers may [ask for messages of the model](mcp.md#sampling). You are asked about each of them. */
  sampling: setting('mcp_sampling', FLAG, { default: false }),
  /**
   * Port of the address that a sign-in returns to.
   * @default a free one
   */
  oauthCallbackPort: setting('mcp_oauth_callback_port', COUNT),
  /** Address that a sign-in returns to, where it is not on this machine. */
  oauthCallbackUrl: setting('mcp_oauth_callback_url', TEXT),
  /** Place of the tokens of sign-ins. All three mean the file `.credentials.json` in the home. */
  oauthCredentialsStore: setting('mcp_oauth_credentials_store', oneOf('auto', 'file', 'keyring'), { default: 'auto' }),
};

/** MCP servers, and the settings that they share. */
export interface McpConfig extends ValuesOf<typeof MCP_SETTINGS> {
  /** The configured servers, in the order of their tables. */
  readonly servers: readonly McpServerConfig[];
}

export function readMcp(reader: SettingsReader): McpConfig {
  const shared = readTable(MCP_SETTINGS, reader);
  return { ...shared, servers: readMcpServers(reader, shared.sampling) };
}
