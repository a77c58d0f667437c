import { existsSync } from 'node:fs';
import type { Env } from './home.ts';

/** The user's shell where we know how to drive it, an absolute path. */
export function findShell({ SHELL }: Env): string {
  if (SHELL && /^\/.*\/(bash|zsh|sh)$/.test(SHELL) && existsSync(SHELL)) return SHELL;
  return existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
}
