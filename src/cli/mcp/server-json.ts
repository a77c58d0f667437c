import { redactUrl, redactUrls } from '../../base/redact-url.ts';
import { explainConfig } from '../../config/explain-config.ts';
import type { LoadOptions } from '../../config/load-options.ts';
import { keyText } from '../../config/setting/key-text.ts';
import type { ListedServer } from './load-servers.ts';

/** Mark in the place of a value that may be a secret, as in Codex. */
const HIDDEN = '*****';

/** Returns the fields of a server that `codex mcp list --json` and `get --json` share, without secrets. */
export function serverJson(server: ListedServer) {
  return { name: server.name, enabled: server.enabled, disabled_reason: null, transport: transportJson(server) };
}

function transportJson(server: ListedServer) {
  if (server.type === 'stdio') {
    const { command, args, env, envVars, cwd } = server;
    return {
      type: 'stdio' as const,
      command,
      args: args.map((arg) => redactUrls(arg)),
      env: hidden(env),
      env_vars: envVars,
      cwd,
    };
  }
  const { url, bearerTokenEnvVar, headers, envHeaders } = server;
  return {
    type: 'streamable_http' as const,
    url: redactUrl(url),
    bearer_token_env_var: bearerTokenEnvVar,
    http_headers: hidden(headers),
    env_http_headers: Object.keys(envHeaders).length === 0 ? null : envHeaders,
    http_headers_helper: null,
  };
}

function hidden(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> | null {
  const names = Object.keys(values);
  return names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, HIDDEN]));
}

/** Returns the function that finds the timeouts of servers. A timeout that is not set is null, as in Codex. */
export function timeoutsFrom(sources: LoadOptions) {
  const keys = new Set(explainConfig(sources).settings.map(({ key }) => key));
  return ({ name, startupTimeoutMs, toolTimeoutMs }: ListedServer) => {
    const isSet = (...settings: readonly string[]) =>
      settings.some((setting) => keys.has(keyText(['mcp_servers', name, setting])));
    return {
      startup_timeout_sec: isSet('startup_timeout_sec', 'startup_timeout_ms') ? startupTimeoutMs / 1000 : null,
      tool_timeout_sec: isSet('tool_timeout_sec') ? toolTimeoutMs / 1000 : null,
    };
  };
}
