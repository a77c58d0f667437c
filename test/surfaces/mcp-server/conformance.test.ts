import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newerNodes } from '../../harness/nodes.ts';
import { scene } from '../../harness/scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';
import { APPLICABLE, conformanceText, NOT_APPLICABLE } from './conformance-table.ts';
import { startMcpHttp } from './mcp-scene.ts';

test('docs/mcp.md has the table of the scenarios', () => {
  const page = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8');
  expect(page).toContain(conformanceText());
});

const [node] = newerNodes();
const referee = join(
  process.env.OXBOW_MCP ?? '/nonexistent',
  'node_modules/@modelcontextprotocol/conformance/dist/index.js',
);

describe.skipIf(process.env.OXBOW_MCP === undefined || node === undefined)('the referee of the protocol', () => {
  test.each(Object.keys(APPLICABLE))(
    '%s: every scenario that applies passes',
    { timeout: 90_000 },
    async (revision) => {
      const { workspace, model } = await scene([]);
      workspace.configure(scriptedConfig(model.url));
      const { url, program } = await startMcpHttp(workspace, ['--no-key']);
      onTestFinished(async () => {
        program.kill('SIGTERM');
        await program.wait();
      });
      const found = await refereed(url, revision);
      const applicable = APPLICABLE[revision] ?? {};
      const others = [...found.keys()].filter((name) => !(name in applicable));
      expect(others.filter((name) => !isListed(name))).toEqual([]);
      for (const [name, { passed, without = [] }] of Object.entries(applicable)) {
        const checks = found.get(name) ?? [];
        const failed = checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id);
        expect({ name, failed: failed.sort() }).toEqual({ name, failed: [...without].sort() });
        expect({ name, passed: checks.filter(({ status }) => status === 'SUCCESS').length }).toEqual({ name, passed });
      }
    },
  );
});

interface Check {
  readonly id: string;
  readonly status: string;
}

/** Lets the referee test a server. Returns the checks of each scenario. */
async function refereed(url: string, revision: string): Promise<ReadonlyMap<string, readonly Check[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'oxbow-referee-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const args = [referee, 'server', '--url', url, '--requirements', revision, '-o', folder];
  // The referee fails because of the scenarios that do not apply.
  await promisify(execFile)(node ?? '', args, { maxBuffer: 1e8 }).catch(() => {});
  return new Map(
    readdirSync(folder).map((name) => {
      const checks = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[];
      return [name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ''), checks];
    }),
  );
}

function isListed(name: string): boolean {
  const patterns = Object.values(NOT_APPLICABLE).flat();
  return patterns.some((pattern) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name));
}
