import { existsSync, mkdirSync } from 'node:fs';
import { type Env, findHome, unusedCodexHome } from '../config/home.ts';
import { printable } from '../text/visible.ts';

/** Commands that say in their own output which home is used, or whose output programs read. */
const QUIET: ReadonlySet<string> = new Set([
  ...['apply-patch', 'completion', 'demo', 'doctor', 'gateway', 'mcp-server', 'sandbox'],
]);

/**
 * Tells a user who has a home of Codex and none of Oxbow yet, once, how to use it. The new home is made at the same time,
 * so that no later command says it again.
 */
export function offerCodexHome(command: string, env: Env): void {
  if (QUIET.has(command)) return;
  const codex = unusedCodexHome(env);
  const home = findHome(env);
  if (codex === undefined || existsSync(home)) return;
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch {
    // The command itself says that the home cannot be written to.
  }
  const line = `note: ${home} is used. For the settings, sign-in and threads of Codex: export OXBOW_HOME=${codex}`;
  process.stderr.write(`${printable(line)}\n`);
}
