import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Environment variables. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Returns the folder with config.toml, auth.json, sessions and logs. A Codex home can be used as it is. */
export function findHome(env: Env): string {
  return env.OXBOW_HOME || env.CODEX_HOME || join(findUserFolder(env), '.oxbow');
}

/** Returns what the home was chosen by: a variable, or nothing. */
export function homeOrigin(env: Env): string {
  if (env.OXBOW_HOME) return 'OXBOW_HOME';
  return env.CODEX_HOME ? 'CODEX_HOME' : 'default';
}

/** Returns the home of Codex, if there is one and no variable chooses a home. It is never used by itself. */
export function unusedCodexHome(env: Env): string | undefined {
  if (env.OXBOW_HOME || env.CODEX_HOME) return undefined;
  const folder = join(findUserFolder(env), '.codex');
  return existsSync(folder) ? folder : undefined;
}

/** Returns the folder that `~` stands for. */
export function findUserFolder(env: Env): string {
  return env.HOME || homedir();
}
