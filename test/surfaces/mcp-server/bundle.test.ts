import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Output {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
  readonly entryPoint?: string;
}

const file = new URL('../../../dist/meta.json', import.meta.url);
const outputs = (JSON.parse(readFileSync(file, 'utf8')) as { outputs: Record<string, Output> }).outputs;
const hasSdk = (path: string) =>
  Object.keys(outputs[path]?.inputs ?? {}).some((input) => input.includes('@modelcontextprotocol/server/'));

test('only the command mcp-server contains the SDK of servers', () => {
  const folders = Object.keys(outputs)
    .filter(hasSdk)
    .map((path) => path.split('/').slice(0, 3).join('/'));
  expect([...new Set(folders)]).toEqual(['dist/program/mcp-server']);
});

test('the command loads the SDK only when it runs', () => {
  const entry = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === 'src/cli/commands/mcp-server.ts');
  const loaded = new Set([entry ?? 'none']);
  for (const path of loaded)
    for (const { path: next, kind } of outputs[path]?.imports ?? []) if (kind === 'import-statement') loaded.add(next);
  expect(entry).toBeDefined();
  expect([...loaded].filter(hasSdk)).toEqual([]);
});
