import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpConnection, McpTool } from '../../../src/base/mcp-connection.ts';
import type { McpHttpServer } from '../../../src/base/mcp-server-config.ts';
import { connectServer } from '../../../src/mcp-client/connect/connect-server.ts';
import type { SignInBrowser } from '../../../src/mcp-client/oauth/sign-in-context.ts';
import { openCredentialsFile } from '../../../src/store/files/credentials-file.ts';

/** Facts that a scenario hands to the client. */
export interface Context {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments?: Record<string, unknown> }[];
}

const never = new AbortController().signal;

/** The document about the client that the referee knows. */
const CLIENT_URL = 'https://conformance-test.local/client-metadata.json';

/** A browser whose user agrees to everything. */
const browser: SignInBrowser = {
  redirectUrl: 'http://localhost:3000/callback',
  async authorize(url) {
    const response = await fetch(url, { redirect: 'manual' });
    return new URL(response.headers.get('location') ?? '', url).searchParams;
  },
  async close() {},
};

const config = (url: string, context: Context): McpHttpServer => ({
  type: 'http',
  name: 'referee',
  url,
  headers: {},
  envHeaders: {},
  bearerTokenEnvVar: null,
  oauth: {
    clientId: context.client_id ?? CLIENT_URL,
    clientSecretEnvVar: context.client_secret === undefined ? null : 'SECRET',
    scopes: null,
    resource: null,
  },
  enabled: true,
  required: false,
  startupTimeoutMs: 60_000,
  toolTimeoutMs: 60_000,
  enabledTools: null,
  disabledTools: [],
  parallelCalls: false,
  approval: 'auto',
  toolApprovals: {},
});

/** Does what a scenario of the referee wants from a client: lists the tools of its server and calls them. */
export async function runScenario(url: string, context: Context): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'conformance-'));
  try {
    await callTools(url, context, home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function callTools(url: string, context: Context, home: string): Promise<void> {
  const connection = await connectServer({
    config: config(url, context),
    start: () => Promise.reject(new Error('The referee is reached over HTTP.')),
    env: { SECRET: context.client_secret },
    signIn: { credentials: openCredentialsFile(home), browser: async () => browser },
    clientInfo: { name: 'oxbow', version: '0.1.0' },
    sampling: true,
    onRevision() {},
    roots: () => [process.cwd()],
    onToolsChanged() {},
    onLog() {},
    signal: never,
  });
  try {
    const tools = await connection.listTools(never);
    for (const call of context.toolCalls ?? tools.map((tool) => sampleCall(tool, tools)))
      await callTool(connection, call);
  } finally {
    await connection.close();
  }
}

async function callTool(
  connection: McpConnection,
  { name, arguments: input = {} }: NonNullable<Context['toolCalls']>[number],
) {
  await connection.callTool({
    tool: name,
    input,
    timeoutMs: 60_000,
    maxTotalMs: 60_000,
    meta: { 'oxbow/idempotencyKey': randomUUID() },
    signal: never,
    onProgress() {},
    elicit: async (question) => ({ action: 'accept', ...(question.mode === 'form' ? { content: {} } : {}) }),
    sample: async () => ({ model: 'scripted', role: 'assistant', content: { type: 'text', text: 'yes' } }),
  });
}

const SAMPLES: Readonly<Record<string, unknown>> = {
  number: 1,
  integer: 1,
  string: 'a',
  boolean: true,
  array: [],
  object: {},
};

/** Returns a call with a value for each required parameter. A parameter for a schema gets that of the first tool. */
function sampleCall({ name, inputSchema }: McpTool, [first]: readonly McpTool[]) {
  const { properties = {}, required = [] } = inputSchema;
  const input = required.map((field) => [field, SAMPLES[String(properties[field]?.type)]]);
  const schema = 'schema' in properties ? { schema: first?.inputSchema } : {};
  return { name, arguments: { ...Object.fromEntries(input), ...schema } as Record<string, unknown> };
}
