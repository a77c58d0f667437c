import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newerNodes } from '../../harness/nodes.ts';
import { type Context, runScenario } from './conformance-client.ts';

const REVISIONS = ['2025-11-25', '2026-07-28'] as const;

/** Time that the referee lets one scenario take. It runs all of them at once. */
const SCENARIO_MS = 90_000;

const page = readFileSync(join(import.meta.dirname, '../../../docs/mcp.md'), 'utf8');

/** Returns the row of the page about a revision: its scored scenarios, and those that pass. */
function rowOf(revision: string): readonly string[] {
  const row = page.split('\n').find((line) => line.startsWith(`| client | ${revision} |`)) ?? '';
  return row.split('|').map((cell) => cell.trim());
}

test('the page says that every scored scenario passes', () => {
  expect(REVISIONS.map((revision) => rowOf(revision)[3])).toEqual(['18 of 18', '32 of 32']);
});

const { OXBOW_MCP } = process.env;
const [node] = newerNodes();
if (OXBOW_MCP && node !== undefined)
  testWithReferee(join(OXBOW_MCP, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'), node);

/** Runs the scenarios of the referee against the client of this package. */
function testWithReferee(referee: string, newer: string): void {
  const run = promisify(execFile);
  const folder = mkdtempSync(join(tmpdir(), 'referee-'));
  const script = join(folder, 'client.sh');
  let server: Server;
  beforeAll(async () => {
    server = await startClients();
    writeFileSync(script, clientScript((server.address() as AddressInfo).port));
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const scoredIn = async (revision: string) => {
    const { stdout } = await run(newer, [referee, 'list', '--client', '--requirements', revision]);
    const [, list = ''] = stdout.split('Client scenarios');
    return [...(list.split('Not scored')[0]?.matchAll(/^ {2}- (\S+)/gm) ?? [])].map(([, name = '']) => name);
  };

  const drive = async (...args: readonly string[]) => {
    const command = [referee, 'client', '--command', `sh ${script}`, ...args];
    const options = { cwd: folder, maxBuffer: 2 ** 28 };
    const ended = run(newer, [...command, '--timeout', String(SCENARIO_MS)], options);
    return await ended.catch((error) => error as { stdout: string; stderr: string });
  };

  /** Runs a scenario by itself if it failed while all ran at once: on a busy machine some run out of time. */
  const alone = async (result: Result, revision: string): Promise<Result> => {
    if (result.failed === 0 && result.passed > 0) return result;
    const { stderr } = await drive('--scenario', result.name, '--spec-version', revision);
    const [, passed = 0, failed = 1] = /^Passed: (\d+)\/\d+, (\d+) failed/m.exec(stderr) ?? [];
    return { name: result.name, passed: Number(passed), failed: Number(failed) };
  };

  test.each(REVISIONS)('every scored scenario of %s passes', { timeout: 300_000 }, async (revision) => {
    const scored = await scoredIn(revision);
    const { stdout } = await drive('--requirements', revision);
    const [, summary = ''] = stdout.split('SUITE SUMMARY');
    const results: Result[] = [];
    for (const [, name = '', passed, failed] of summary.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gm)) {
      const result = { name, passed: Number(passed), failed: Number(failed) };
      results.push(scored.includes(name) ? await alone(result, revision) : result);
    }
    const failing = results.filter(({ name, failed, passed }) => scored.includes(name) && (failed > 0 || passed === 0));
    expect(failing).toEqual([]);
    const passing = results.filter(({ name, failed }) => scored.includes(name) && failed === 0).length;
    expect(`${passing} of ${scored.length}`).toBe(rowOf(revision)[3]);
    const { checks, others } = countsOf(results, scored);
    // The number of checks differs a little from run to run, so only the scenarios are compared.
    console.log(`${revision}: ${checks} checks; the page has ${rowOf(revision)[4]}`);
    expect(`${others.length} extensions`).toBe(rowOf(revision)[5]);
    for (const name of others) expect(page).toContain(name);
  });
}

/**
 * Starts a server that runs a scenario for each request. The referee starts a program for each of some 60 scenarios,
 * and one that asks this server starts much faster than a Node with the client in it.
 */
async function startClients(): Promise<Server> {
  const server = createServer(async (request, response) => {
    try {
      await runScenario(String(request.headers['x-address']), (await json(request)) as Context);
      response.end();
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** Returns the program that the referee starts. The referee appends the address of its server. */
function clientScript(port: number): string {
  return [
    '[ -n "$MCP_CONFORMANCE_CONTEXT" ] || MCP_CONFORMANCE_CONTEXT="{}"',
    `exec curl --silent --show-error --fail-with-body --noproxy '*' --header "x-address: $1" \\`,
    `  --data-raw "$MCP_CONFORMANCE_CONTEXT" http://127.0.0.1:${port}/`,
  ].join('\n');
}

/** Checks of a scenario. */
interface Result {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
}

/** Returns the checks of the scored scenarios, in the form of the page, and the other scenarios that do not pass. */
function countsOf(
  results: readonly Result[],
  scored: readonly string[],
): { readonly checks: string; readonly others: readonly string[] } {
  const counted = results.filter(({ name }) => scored.includes(name));
  const passed = counted.reduce((sum, one) => sum + one.passed, 0);
  const failed = counted.reduce((sum, one) => sum + one.failed, 0);
  const others = results.filter(({ name, failed: missed }) => !scored.includes(name) && missed > 0);
  return { checks: `${passed} of ${passed + failed}`, others: others.map(({ name }) => name) };
}
