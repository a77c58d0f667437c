import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { startMcpServer } from '../../../src/mcp-server/start-mcp-server.ts';
import { call, reply, type Script, say } from '../../../src/testing/index.ts';
import { cleanEnvironment } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { type ConfigTable, scriptedConfig } from '../../harness/scripted-config.ts';
import { survivors } from '../../harness/survivors.ts';
import { startMcpHttp } from './mcp-scene.ts';

type Limits = Pick<Parameters<typeof startMcpServer>[0], 'answerMs' | 'sessions'>;

/** Runs a server over HTTP in this process, with limits that a test can reach. */
async function limitedScene(script: Script, limits: Limits, config: ConfigTable = {}) {
  const made = await scene(script);
  made.workspace.configure(scriptedConfig(made.model.url, config));
  const stop = new AbortController();
  const url = await new Promise<string>((resolve, reject) => {
    const ended = startMcpServer({
      agent: { env: cleanEnvironment(made.workspace), cwd: made.workspace.path },
      version: '1.0.0',
      serve: { host: '127.0.0.1', port: 0, keys: [], onListening: resolve },
      stop: stop.signal,
      onError: reject,
      ...limits,
    });
    ended.catch(reject);
    onTestFinished(async () => {
      stop.abort();
      await ended;
    });
  });
  return { ...made, url };
}

test('a call whose questions are not answered in time is interrupted, and a later answer is refused', async () => {
  const script = [reply(call('exec_command', { cmd: 'touch made' }))];
  const { url, rollout } = await limitedScene(script, { answerMs: 300 }, { approval_policy: 'untrusted' });
  const client = new Client(
    { name: 't', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  const first = { name: 'codex', arguments: { prompt: 'go' } };
  const asked = await client.callTool(first, { allowInputRequired: true });
  expect(asked).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
  await expect.poll(() => JSON.stringify(rollout()), { timeout: 10_000 }).toContain('turn_aborted');
  const { requestState } = asked as unknown as { requestState: string };
  const late = client.callTool({ ...first, requestState, inputResponses: {} } as never, { allowInputRequired: true });
  await expect(late).rejects.toThrow('Invalid or expired requestState');
});

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const initialize = (url: string) =>
  fetch(url, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    }),
  });

/** Begins a session. Returns the function that sends a request in it. */
async function beginSession(url: string) {
  const response = await initialize(url);
  await response.text();
  const id = response.headers.get('mcp-session-id') ?? '';
  return (method: string, params: object, signal?: AbortSignal) =>
    fetch(url, {
      method: 'POST',
      headers: { ...HEADERS, 'mcp-session-id': id },
      body: JSON.stringify({ jsonrpc: '2.0', id: 2, method, params }),
      ...(signal && { signal }),
    });
}

const CODEX = { name: 'codex', arguments: { prompt: 'go' } };

test('the session that was used least recently makes room, and with busy ones only there is none', async () => {
  const { url } = await limitedScene(
    () => reply(call('exec_command', { cmd: 'sleep 4717.5', yield_time_ms: 30_000 })),
    { sessions: { idleMs: 60_000, most: 2 } },
  );
  const [first, second] = [await beginSession(url), await beginSession(url)];
  expect((await first('tools/list', {})).status).toBe(200);
  const third = await beginSession(url);
  expect([(await second('tools/list', {})).status, (await first('tools/list', {})).status]).toEqual([404, 200]);
  const leave = new AbortController();
  // The streams stay open as long as the turns run.
  const busy = await Promise.all([first, third].map((send) => send('tools/call', CODEX, leave.signal)));
  await expect.poll(() => survivors('4717.5'), { timeout: 10_000 }).toHaveLength(2);
  const refused = await initialize(url);
  expect(refused.status).toBe(503);
  expect(await refused.text()).toContain('There are 2 sessions already, all of them busy.');
  leave.abort();
  await Promise.allSettled(busy.map((response) => response.text()));
  await expect.poll(async () => (await initialize(url)).status, { timeout: 10_000 }).toBe(200);
  await expect.poll(() => survivors('4717.5'), { timeout: 10_000 }).toEqual([]);
});

test('a session without requests ends', async () => {
  const { url } = await limitedScene([], { sessions: { idleMs: 50, most: 2 } });
  const send = await beginSession(url);
  await expect.poll(async () => (await send('ping', {})).status, { timeout: 10_000, interval: 300 }).toBe(404);
});

test('a client over HTTP that does not read is given up before the events fill the memory', async () => {
  const command = 'head -c 900000 /dev/zero | tr "\\0" x';
  const { workspace, model, rollout } = await scene((_, n) =>
    n <= 60 ? reply(call('exec_command', { cmd: command, max_output_tokens: 10 })) : reply(say('Done.')),
  );
  workspace.configure(scriptedConfig(model.url));
  const { url, program } = await startMcpHttp(workspace, ['--no-key']);
  onTestFinished(async () => {
    program.kill('SIGTERM');
    await program.wait();
  });
  const send = await beginSession(url);
  const response = await send('tools/call', CODEX);
  await expect.poll(() => JSON.stringify(rollout()), { timeout: 60_000 }).toContain('turn_aborted');
  expect(model.requests.length).toBeLessThan(60);
  expect(await response.text()).toContain('The client left 16 MB of events unread, so the turn was interrupted.');
});
