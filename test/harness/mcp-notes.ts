import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { ConfigTable } from './scripted-config.ts';

/** An MCP server of a test, and the notes that it leaves. */
export interface McpTestServer {
  /** Its table in config.toml. */
  readonly table: ConfigTable;
  /** Folder of the notes. No other process has it in its command line. */
  readonly folder: string;
  /** Returns the process ids of its starts. */
  starts(): readonly number[];
  /** Returns the number of its effects. */
  effects(): number;
}

const SERVER = fileURLToPath(new URL('mcp-server.mjs', import.meta.url));

/** Returns the configuration of a server for one test. `delayMs` is the time that it takes to start. */
export function mcpTestServer(delayMs = 0, more: ConfigTable = {}): McpTestServer {
  const folder = mkdtempSync(join(tmpdir(), 'oxbow-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const lines = (file: string) => {
    const path = join(folder, file);
    return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  };
  return {
    table: { command: process.execPath, args: [SERVER, folder, String(delayMs)], ...more },
    folder,
    starts: () => lines('starts').map(Number),
    effects: () => lines('effects').length,
  };
}
