import type { Env } from '../../config/home.ts';
import { findOnPath } from '../../exec/process/find-on-path.ts';
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
