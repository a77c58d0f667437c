import { signInState } from '../../app/commands/mcp-servers.ts';
import type { Config } from '../../config/load-config.ts';
import type { ListedServer } from './load-servers.ts';

/** Ways in which a server knows the user, by the words of Codex's JSON, with the words for people. */
export const AUTH_WORDS = {
  unsupported: 'none needed',
  bearer_token: 'bearer token',
  o_auth: 'signed in',
  not_logged_in: 'not signed in',
} as const;

/** Returns how a server knows the user. No server is asked, so a server that needs no sign-in is `not_logged_in` too. */
export async function authStatus(config: Config, server: ListedServer): Promise<keyof typeof AUTH_WORDS> {
  if (server.type === 'stdio') return 'unsupported';
  const headers = [...Object.keys(server.headers), ...Object.keys(server.envHeaders)];
  const hasHeader = headers.some((name) => name.toLowerCase() === 'authorization');
  if (server.bearerTokenEnvVar !== null || hasHeader) return 'bearer_token';
  return (await signInState(config, server)) === 'there' ? 'o_auth' : 'not_logged_in';
}
