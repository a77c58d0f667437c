import { delimiter, join } from 'node:path';
import type { Env } from '../../config/home.ts';
import { isExecutable } from '../../exec/process/is-executable.ts';
import { startDetached } from '../../exec/process/start-detached.ts';

/** Opens an address in the user's browser. Returns false if there is none. */
export function openBrowser(url: URL, env: Env, platform: NodeJS.Platform): boolean {
  // The address comes from a server, and other schemes can start any program.
  if (!/^https?:$/.test(url.protocol)) return false;
  const isSeen = platform === 'darwin' || Boolean(env.DISPLAY) || Boolean(env.WAYLAND_DISPLAY);
  const program = isSeen ? findOnPath(platform === 'darwin' ? 'open' : 'xdg-open', env.PATH) : undefined;
  if (program === undefined) return false;
  startDetached({ argv: [program, url.href], env, onFailure() {} });
  return true;
}

/** Returns the path of a program that the system would start by its name. */
function findOnPath(name: string, path = ''): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}
