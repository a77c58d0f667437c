import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import type { McpConnection, McpToolRequest } from '../../base/mcp-connection.ts';
import type { McpStdioServer } from '../../base/mcp-server-config.ts';
import { startPiped } from '../../exec/start/start-piped.ts';
import type { McpConnectOptions } from './connect-options.ts';
import { connectServer } from './connect-server.ts';

const SERVER = fileURLToPath(new URL('../fixtures/server.mjs', import.meta.url));

const CONFIG: McpStdioServer = {
  type: 'stdio',
  name: 'memo',
  command: process.execPath,
  args: [],
  env: {},
  envVars: [],
  cwd: null,
  enabled: true,
  required: false,
  startupTimeoutMs: 20_000,
  toolTimeoutMs: 20_000,
  enabledTools: null,
  disabledTools: [],
  parallelCalls: false,
  approval: 'auto',
  toolApprovals: {},
};

const open: McpConnection[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
});

function startServer(faults: readonly string[]) {
  const argv = [process.execPath, SERVER, ...faults];
  return startPiped({ argv, cwd: '/', env: { PATH: process.env.PATH ?? '' }, id: randomUUID() });
}

async function connect(faults: string[] = [], more: Partial<McpConnectOptions> & { timeoutMs?: number } = {}) {
  const seen = { starts: 0, revisions: [] as string[], log: [] as string[], changes: 0 };
  const options: McpConnectOptions = {
    config: { ...CONFIG, startupTimeoutMs: more.timeoutMs ?? CONFIG.startupTimeoutMs },
    start() {
      seen.starts++;
      return startServer(faults);
    },
    env: {},
    clientInfo: { name: 'oxbow', version: '0' },
    onRevision: (revision) => seen.revisions.push(revision),
    roots: () => ['/srv/a b'],
    onToolsChanged: () => seen.changes++,
    onLog: (level, text) => seen.log.push(`${level}: ${text}`),
    signal: new AbortController().signal,
    ...more,
  };
  const connection = await connectServer(options);
  open.push(connection);
  return { connection, seen };
}

const call = (
  tool: string,
  input: Record<string, unknown> = {},
  more: Partial<McpToolRequest> = {},
): McpToolRequest => ({
  tool,
  input,
  timeoutMs: 20_000,
  maxTotalMs: 60_000,
  meta: {},
  signal: new AbortController().signal,
  onProgress() {},
  ...more,
});

async function textOf(connection: McpConnection, ...args: Parameters<typeof call>) {
  const { content } = await connection.callTool(call(...args));
  return String(content[0]?.text);
}

const never = new AbortController().signal;

test('a server over stdio states its facts, lists its tools and runs them', async () => {
  const { connection, seen } = await connect();
  expect(connection.server).toEqual({
    name: 'fixture',
    version: '1.2.3',
    revision: '2025-11-25',
    instructions: 'Use it well.',
    has: { tools: true, resources: true, prompts: true },
  });
  expect(seen).toMatchObject({ starts: 1, revisions: ['2025-11-25'], log: [] });
  const tools = await connection.listTools(never);
  expect(tools[0]).toEqual({
    name: 'echo',
    title: null,
    description: 'Does echo.',
    inputSchema: { type: 'object' },
    hints: { readOnly: true },
  });
  expect(tools.map(({ name }) => name)).toContain('fail');
  expect(await textOf(connection, 'echo', { word: 'hello' })).toBe('hello');
  const failed = await connection.callTool(call('fail'));
  expect(failed).toMatchObject({ isError: true, content: [{ text: 'It did not work.' }] });
});

test('a recursive schema and a reference to another host pass as data, and a tool without a schema gets one', async () => {
  const { connection } = await connect();
  const tools = await connection.listTools(never);
  expect(tools.find(({ name }) => name === 'recursive')?.inputSchema).toEqual({
    type: 'object',
    properties: { child: { $ref: '#' }, far: { $ref: 'http://127.0.0.1:9/schema.json' } },
  });
  expect(tools.at(-1)).toMatchObject({ name: 'bare', description: '', inputSchema: { type: 'object' } });
});

test('resources and prompts are listed and read', async () => {
  const { connection } = await connect();
  expect(await connection.listResources({ signal: never })).toEqual({ resources: [{ uri: 'memo://1', name: 'Memo' }] });
  expect(await connection.listResourceTemplates({ signal: never })).toMatchObject({ resourceTemplates: [{}] });
  expect(await connection.readResource('memo://1', never)).toMatchObject({ contents: [{ text: 'a memo' }] });
  const arguments_ = [{ name: 'who', description: '', required: true }];
  expect(await connection.listPrompts(never)).toEqual([
    { name: 'greet', title: null, description: '', arguments: arguments_ },
  ]);
  const messages = await connection.getPrompt('greet', { who: 'Ann' }, never);
  expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Greet Ann.' } }]);
});

test('parts of an unknown kind and structured content of any kind pass', async () => {
  const { connection } = await connect();
  const { content, structuredContent } = await connection.callTool(call('odd'));
  expect(content).toEqual([{ type: 'hologram', data: 1 }]);
  expect(structuredContent).toEqual([1]);
});

test('a known revision is not asked for', async () => {
  const { seen } = await connect(['exit-on-unknown'], { knownRevision: '2025-06-18' });
  expect(seen.starts).toBe(1);
});

test('a server that ends when it is asked for its revision is started again', async () => {
  const { connection, seen } = await connect(['exit-on-unknown']);
  expect(seen.starts).toBe(2);
  expect(await textOf(connection, 'echo', { word: 'again' })).toBe('again');
});

test('a server that does not answer the question for its revision is an older one', async () => {
  const { connection } = await connect(['silent-on-unknown'], { timeoutMs: 3000 });
  expect(connection.server.revision).toBe('2025-11-25');
});

test('noise on stdout is skipped and reported once', async () => {
  const { connection, seen } = await connect(['noise']);
  expect(await textOf(connection, 'echo', { word: 'clear' })).toBe('clear');
  expect(seen.log).toEqual([
    expect.stringMatching(/^warning: The MCP server "memo" writes lines .* Listening on stdio$/),
  ]);
});

test('a server that exits at its start is named with its last words', async () => {
  await expect(connect(['exit-at-start'])).rejects.toMatchObject({
    kind: 'start',
    message: 'The MCP server "memo" exited with code 2 while it started. Its last words: The key is missing.',
  });
});

test('a program that cannot be started is a sentence', async () => {
  const start = () => Promise.reject(new Error('no such program: nowhere'));
  await expect(connect([], { start })).rejects.toMatchObject({
    kind: 'start',
    message: 'The MCP server "memo" could not be started: no such program: nowhere',
  });
});

test('a server that hangs at its start is ended', async () => {
  await expect(connect(['hang-at-start'], { timeoutMs: 1500 })).rejects.toMatchObject({
    kind: 'start',
    message: 'The MCP server "memo" did not answer within 1.5 s. If it needs longer, set startup_timeout_sec to more.',
  });
});

test('a server of an unknown revision is a sentence, and is not started again', async () => {
  let starts = 0;
  const start = () => {
    starts++;
    return startServer(['wrong-revision']);
  };
  await expect(connect([], { start })).rejects.toMatchObject({
    kind: 'start',
    message: expect.stringMatching(/did not start as an MCP server: .*1999-01-01/),
  });
  expect(starts).toBe(1);
});

test('a start that is cancelled ends', async () => {
  const stop = new AbortController();
  const connecting = connect(['hang-at-start'], { signal: stop.signal });
  stop.abort();
  await expect(connecting).rejects.toMatchObject({ kind: 'cancelled' });
});

test('a call whose server exits is lost, and the connection says why it ended', async () => {
  const { connection } = await connect();
  await expect(connection.callTool(call('exit'))).rejects.toMatchObject({ kind: 'lost' });
  expect(await connection.ended).toBe('The MCP server "memo" exited with code 3. Its last words: I am going away.');
  await expect(connection.callTool(call('echo'))).rejects.toMatchObject({ kind: 'lost' });
});

test('close ends the process', async () => {
  const { connection } = await connect();
  const pid = Number(await textOf(connection, 'pid'));
  await connection.close();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('an answer that comes twice counts once', async () => {
  const { connection } = await connect(['twice']);
  expect(await textOf(connection, 'count')).toBe('1');
  expect(await textOf(connection, 'count')).toBe('2');
});

test('answers that are not JSON or not JSON-RPC fail their call', async () => {
  for (const fault of ['invalid-json', 'not-json-rpc']) {
    const { connection } = await connect([fault]);
    const message = 'The MCP server "memo" sent an answer that is not JSON-RPC.';
    await expect(connection.callTool(call('echo'))).rejects.toMatchObject({ kind: 'invalid', message });
  }
});

test('an answer to another id is no answer', async () => {
  const { connection } = await connect(['wrong-id']);
  await expect(connection.callTool(call('echo', {}, { timeoutMs: 500 }))).rejects.toMatchObject({
    kind: 'timeout',
    message: 'The tool "echo" of the MCP server "memo" did not answer within 0.5 s, and was cancelled.',
  });
});

test('an unknown tool is refused in the words of the server', async () => {
  const { connection } = await connect();
  await expect(connection.callTool(call('nothing'))).rejects.toMatchObject({
    kind: 'refused',
    message: 'The MCP server "memo" refused the request: Unknown tool: nothing (-32602).',
  });
});

test('a list on endless pages is refused', async () => {
  const { connection } = await connect(['endless-pages']);
  await expect(connection.listTools(never)).rejects.toMatchObject({
    kind: 'invalid',
    message: expect.stringMatching(/more than 100 pages/),
  });
});

test('a result of 100 MB fails its call alone, and the next call works', async () => {
  const { connection } = await connect();
  await expect(connection.callTool(call('large', { mb: 100 }))).rejects.toMatchObject({
    kind: 'invalid',
    message: 'The MCP server "memo" sent a message of more than 32 MB.',
  });
  expect((await textOf(connection, 'large', { mb: 20 })).length).toBe(20 * 1024 * 1024);
});

test('a call that is cancelled is cancelled at the server', async () => {
  const { connection } = await connect();
  const stop = new AbortController();
  const hanging = connection.callTool(call('hang', {}, { signal: stop.signal }));
  stop.abort();
  await expect(hanging).rejects.toMatchObject({ kind: 'cancelled' });
  expect(await textOf(connection, 'cancelled')).toMatch(/^\d+$/);
});

test('progress is reported and begins the time anew, up to the total', async () => {
  const { connection } = await connect();
  const seen: unknown[] = [];
  const slow = call('progress', { steps: 4, ms: 400 }, { timeoutMs: 1000, onProgress: (one) => seen.push(one) });
  expect((await connection.callTool(slow)).content).toMatchObject([{ text: 'done' }]);
  expect(seen[0]).toEqual({ progress: 1, total: null, message: 'step 1' });
  expect(seen).toHaveLength(4);
  const endless = call('progress', { steps: 1000, ms: 100 }, { timeoutMs: 1000, maxTotalMs: 1500 });
  await expect(connection.callTool(endless)).rejects.toMatchObject({
    kind: 'timeout',
    message: expect.stringMatching(/within 1.5 s/),
  });
  const silent = call('hang', {}, { timeoutMs: 20_000, maxTotalMs: 300 });
  await expect(connection.callTool(silent)).rejects.toMatchObject({
    kind: 'timeout',
    message: expect.stringMatching(/within 0.3 s/),
  });
});

test('the entries of _meta and a token for progress are sent', async () => {
  const { connection } = await connect();
  const meta = JSON.parse(await textOf(connection, 'meta', {}, { meta: { 'oxbow/idempotencyKey': 'k' } }));
  expect(meta).toEqual({ 'oxbow/idempotencyKey': 'k', progressToken: expect.anything() });
});

test('a log line, changed tools and the roots reach their receivers', async () => {
  const { connection, seen } = await connect();
  await connection.callTool(call('log', { line: 'all is well' }));
  await connection.callTool(call('change'));
  expect(seen.log).toEqual(['info: all is well']);
  expect(seen.changes).toBe(1);
  expect(JSON.parse(await textOf(connection, 'roots'))).toEqual({
    roots: [{ uri: 'file:///srv/a%20b', name: 'a b' }],
  });
});

const FORM = {
  message: 'Which colour?',
  requestedSchema: {
    type: 'object',
    properties: { colour: { type: 'string', enum: ['red', 'blue'] }, size: { type: 'integer', default: 3 } },
    required: ['colour'],
  },
};

test('a question of the server reaches its call, and the time of the user does not count', async () => {
  const { connection } = await connect();
  const questions: unknown[] = [];
  const elicit: McpToolRequest['elicit'] = async (question) => {
    questions.push(question);
    await new Promise((done) => setTimeout(done, 800));
    return { action: 'accept', content: { colour: 'red' } };
  };
  const answer = await textOf(connection, 'ask', FORM, { elicit, timeoutMs: 500, maxTotalMs: 600 });
  expect(JSON.parse(answer)).toEqual({ action: 'accept', content: { colour: 'red', size: 3 } });
  expect(questions).toEqual([{ mode: 'form', message: FORM.message, schema: FORM.requestedSchema }]);
});

test('a question is declined without a user, and so is an answer that does not fit', async () => {
  const { connection } = await connect();
  expect(JSON.parse(await textOf(connection, 'ask', FORM))).toEqual({ action: 'decline' });
  const elicit: McpToolRequest['elicit'] = async () => ({ action: 'accept', content: { colour: 'green' } });
  expect(JSON.parse(await textOf(connection, 'ask', FORM, { elicit }))).toEqual({ action: 'decline' });
  const url = { mode: 'url', message: 'Sign in', url: 'http://127.0.0.1/x', elicitationId: 'e1' };
  const visit: McpToolRequest['elicit'] = async (question) =>
    question.mode === 'url' && question.id === 'e1' ? { action: 'accept' } : { action: 'cancel' };
  expect(JSON.parse(await textOf(connection, 'ask', url, { elicit: visit }))).toEqual({ action: 'accept' });
});

test('a message of the model is written for the server if that is allowed', async () => {
  const written = { model: 'm', role: 'assistant', content: { type: 'text', text: 'hi' } } as const;
  const sample: NonNullable<McpToolRequest['sample']> = async () => written;
  const { connection } = await connect([], { sampling: true });
  expect(JSON.parse(await textOf(connection, 'sample', {}, { sample }))).toEqual(written);
  expect(await textOf(connection, 'sample')).toContain('does not let this server use the model');
  const without = await connect();
  expect(await textOf(without.connection, 'sample', {}, { sample })).toContain('Method not found');
});

test('of several calls the newest that can ask gets a question, and one that has ended gets none', async () => {
  const { connection } = await connect();
  const asked: string[] = [];
  const askerOf = (name: string) => async () => {
    asked.push(name);
    return { action: 'cancel' } as const;
  };
  const stop = new AbortController();
  const older = connection.callTool(call('hang', {}, { elicit: askerOf('older'), signal: stop.signal }));
  await textOf(connection, 'ask', FORM, { elicit: askerOf('newer') });
  await textOf(connection, 'ask', FORM);
  expect(asked).toEqual(['newer', 'older']);
  stop.abort();
  await expect(older).rejects.toMatchObject({ kind: 'cancelled' });
  expect(JSON.parse(await textOf(connection, 'ask', FORM))).toEqual({ action: 'decline' });
});
