import { isRecord } from '../../base/json-schema.ts';
import { isSecretParameter, redactUrl, redactUrls } from '../../base/redact-url.ts';

const HIDDEN = '[hidden]';

/** Keys of an MCP server whose values may be secrets. */
const HOLDS_SECRETS: ReadonlySet<string> = new Set(['bearer_token', 'env', 'http_headers']);

/** Returns a setting's value as it may be shown: keys, headers and passwords in URLs are replaced. */
export function visibleValue(path: readonly string[], value: unknown): unknown {
  if (isRecord(value) && !(value instanceof Date)) {
    return Object.fromEntries(Object.entries(value).map(([key, below]) => [key, visibleValue([...path, key], below)]));
  }
  if (isSecret(path)) return HIDDEN;
  if (Array.isArray(value)) return value.map((entry) => visibleValue(path, entry));
  if (typeof value !== 'string') return value;
  return /^\s*[a-z][a-z0-9+.-]*:\/\//i.test(value) ? redactUrl(value, HIDDEN) : redactUrls(value, HIDDEN);
}

function isSecret([table, ...path]: readonly string[]): boolean {
  if (table === 'profiles') return isSecret(path.slice(1));
  if (table === 'shell_environment_policy') return path[0] === 'set' && looksSecret(path[1]);
  if (table === 'mcp_servers') return HOLDS_SECRETS.has(path[1] ?? '');
  if (table !== 'model_providers') return false;
  const [, key, name] = path;
  return key === 'experimental_bearer_token' || key === 'http_headers' || (key === 'query_params' && looksSecret(name));
}

/**
 * Reports whether a name looks like that of a secret. Without a name the value stands where a table should, and may be
 * anything.
 */
function looksSecret(name: string | undefined): boolean {
  return name === undefined || isSecretParameter(name);
}
