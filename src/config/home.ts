import { homedir } from 'node:os';
import { join } from 'node:path';

/** Environment variables. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Returns the folder with config.toml, auth.json, sessions and logs. A Codex home can be used as it is. */
export function findHome(env: Env): string {
  return env.OXBOW_HOME || env.CODEX_HOME || join(findUserFolder(env), '.oxbow');
}

/** Returns the folder that `~` stands for. */
export function findUserFolder(env: Env): string {
  return env.HOME || homedir();
}
