import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { FreshTokensOptions } from '../../src/auth/chatgpt/fresh-tokens.ts';
import { type RunningProgram, startProgram } from './start-program.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A program that asks for fresh tokens once and prints them as JSON. */
const SOURCE = `
import { freshTokens } from './src/auth/chatgpt/fresh-tokens.ts';
const send = async (url, { headers, body, signal }) => await fetch(url, { method: 'POST', headers, body, signal });
const { clockMs = 0, ...options } = JSON.parse(process.argv[2]);
try {
  const tokens = await freshTokens({ ...options, send, now: () => Date.now() + clockMs });
  console.log(JSON.stringify(tokens));
} catch (error) {
  console.log(JSON.stringify({ code: error.code, message: error.message, remedy: error.remedy }));
}
`;

export type RefreshOptions = Omit<FreshTokensOptions, 'send' | 'now' | 'keyring' | 'onNotice'> & {
  /** Difference of the program's clock to that of the machine. */
  readonly clockMs?: number;
};

/** Builds the program. Returns a function that starts it. */
export async function buildRefreshProgram(): Promise<{
  start(options: RefreshOptions): Promise<RunningProgram>;
  dispose(): void;
}> {
  const folder = mkdtempSync(join(tmpdir(), 'refresh-'));
  const path = join(folder, 'refresh.mjs');
  const stdin = { contents: SOURCE, resolveDir: ROOT, loader: 'ts' } as const;
  await build({ stdin, bundle: true, platform: 'node', format: 'esm', outfile: path, logLevel: 'error' });
  return {
    start: (options) =>
      startProgram({
        command: process.execPath,
        args: [path, JSON.stringify(options)],
        cwd: folder,
        env: { PATH: process.env.PATH ?? '' },
      }),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
