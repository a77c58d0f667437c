import type { Setting, SettingsTable } from './setting/setting.ts';
import { ACCOUNT_SETTINGS, AUTH_SETTINGS } from './tables/auth.ts';
import { COMPACTION_SETTINGS } from './tables/compaction.ts';
import { COMPAT_SETTINGS } from './tables/compat.ts';
import { GATEWAY_LIMIT_SETTINGS, GATEWAY_SETTINGS, GATEWAY_STORE_SETTINGS } from './tables/gateway.ts';
import { MCP_SETTINGS } from './tables/mcp.ts';
import { MCP_HTTP_SETTINGS, MCP_SERVER_SETTINGS, MCP_STDIO_SETTINGS, MCP_TOOL_SETTINGS } from './tables/mcp-servers.ts';
import { MODEL_SETTINGS } from './tables/model.ts';
import { PRICE_SETTINGS } from './tables/model-prices.ts';
import { KNOWN_MODEL_SETTINGS } from './tables/models.ts';
import { POLICY_SETTINGS } from './tables/policy.ts';
import { PROJECT_DOC_SETTINGS } from './tables/project-docs.ts';
import { PROVIDER_AUTH_SETTINGS, PROVIDER_SETTINGS } from './tables/providers.ts';
import { REPORTING_SETTINGS } from './tables/reporting.ts';
import { REQUEST_COMPAT_SETTINGS } from './tables/request-compat.ts';
import { RULES_SETTINGS } from './tables/rules.ts';
import { SHELL_ENVIRONMENT_SETTINGS } from './tables/shell-environment.ts';
import { SNAPSHOT_SETTINGS } from './tables/snapshots.ts';
import { PROFILE_SETTINGS, PROJECT_SETTINGS } from './tables/sources.ts';
import { TOOL_OUTPUT_SETTINGS, TOOL_SETTINGS } from './tables/tools.ts';
import { TUI_SETTINGS } from './tables/tui.ts';
import { LOCATION_SETTINGS, OLDER_WEB_SEARCH_SETTINGS, WEB_SEARCH_SETTINGS } from './tables/web-search.ts';

const TABLES: readonly SettingsTable[] = [
  PROFILE_SETTINGS,
  MODEL_SETTINGS,
  ACCOUNT_SETTINGS,
  AUTH_SETTINGS,
  PROJECT_DOC_SETTINGS,
  POLICY_SETTINGS,
  RULES_SETTINGS,
  SHELL_ENVIRONMENT_SETTINGS,
  TOOL_SETTINGS,
  WEB_SEARCH_SETTINGS,
  LOCATION_SETTINGS,
  OLDER_WEB_SEARCH_SETTINGS,
  TOOL_OUTPUT_SETTINGS,
  MCP_SETTINGS,
  COMPACTION_SETTINGS,
  REPORTING_SETTINGS,
  SNAPSHOT_SETTINGS,
  TUI_SETTINGS,
  GATEWAY_SETTINGS,
  GATEWAY_LIMIT_SETTINGS,
  GATEWAY_STORE_SETTINGS,
  PROJECT_SETTINGS,
  MCP_STDIO_SETTINGS,
  MCP_HTTP_SETTINGS,
  MCP_SERVER_SETTINGS,
  MCP_TOOL_SETTINGS,
  PRICE_SETTINGS,
  KNOWN_MODEL_SETTINGS,
  PROVIDER_SETTINGS,
  PROVIDER_AUTH_SETTINGS,
  COMPAT_SETTINGS,
  REQUEST_COMPAT_SETTINGS,
];

/** Every setting that is read, in the order in which `oxbow config` lists them. An older name follows the newer one. */
export const SETTINGS: readonly Setting<unknown>[] = TABLES.flatMap((table) => Object.values(table)).flatMap(
  (setting) => (setting.older === undefined ? [setting] : [setting, setting.older]),
);
