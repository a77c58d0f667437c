import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Codex } from '../../../src/app/codex-sdk/index.ts';
import {
  type Agent,
  type AgentOptions,
  createAgent,
  createServers,
  type Event,
  type Servers,
  UserError,
} from '../../../src/index.ts';
import { sendJson, startServer, type TestServer } from '../../../src/model/test-loopback.ts';
import { encodeReply, reply, say } from '../../../src/testing/index.ts';
import { type Scene, scene } from '../../harness/scene.ts';
import { type ConfigTable, scriptedConfig } from '../../harness/scripted-config.ts';

interface ServerScene extends Pick<Scene, 'workspace'> {
  readonly server: TestServer;
  /** Creates an agent, which the test closes. */
  agent(options?: AgentOptions): Agent;
}

/** Starts a server that counts connections. `refuse` answers a request, unless it returns false. */
async function serverScene(
  refuse: (response: ServerResponse, request: IncomingMessage, body: object) => boolean = () => false,
  config: ConfigTable = {},
): Promise<ServerScene> {
  const { workspace } = await scene([]);
  const server = await startServer((response, turn, request) => {
    const { body = '', path = '' } = server.requests[turn - 1] ?? {};
    if (!refuse(response, request, JSON.parse(body))) sendWhole(response, path);
  });
  workspace.configure(scriptedConfig(server.url, config));
  const env = { HOME: workspace.home, OXBOW_HOME: workspace.home, PATH: process.env.PATH, SCRIPTED_KEY: 'k' };
  return { workspace, server, agent: (options = {}) => createAgent({ env, cwd: workspace.path, ...options }) };
}

/** Answers in one piece, so that the connection is free again before the agent has read the answer. */
function sendWhole(response: ServerResponse, path: string): void {
  const bytes = encodeReply(reply(say('done')), { wire: path.endsWith('/responses') ? 'responses' : 'chat' });
  response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': bytes.length }).end(bytes);
}

/** Runs a turn in a new thread, closes the thread and returns its events. */
async function runThread(agent: Agent): Promise<readonly Event[]> {
  const events: Event[] = [];
  const thread = await agent.startThread({ onEvent: (event) => events.push(event) });
  expect(await thread.run('go')).toMatchObject({ status: 'completed', finalResponse: 'done' });
  await thread.close();
  return events;
}

/** Returns a server that refuses the parameter `include` and counts its refusals. */
function refusingInclude() {
  let refused = 0;
  return {
    refused: () => refused,
    refuse(response: ServerResponse, _: IncomingMessage, body: object): boolean {
      if (!('include' in body)) return false;
      refused++;
      sendJson(response, 400, { error: { message: "Unknown parameter: 'include'.", param: 'include' } });
      return true;
    },
  };
}

const learned = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'repair' && event.id === 'learned' ? [event] : []));

test('40 consecutive threads of one agent open one connection, which ends with the agent', async () => {
  const s = await serverScene();
  const agent = s.agent();
  for (let n = 0; n < 40; n++) await runThread(agent);
  expect(s.server.connections()).toBe(1);
  await agent.close();
  await expect.poll(s.server.openConnections).toBe(0);
});

test('the connection of a turn in progress ends with the agent', async () => {
  const s = await serverScene(() => true);
  const agent = s.agent();
  const turn = (await agent.startThread()).run('go');
  await expect.poll(() => s.server.requests.length).toBe(1);
  await agent.close();
  expect((await turn).status).toBe('aborted');
  await expect.poll(s.server.openConnections).toBe(0);
});

test('6 threads of one agent are refused once, and each reports how its requests change', async () => {
  const { refuse, refused } = refusingInclude();
  const s = await serverScene(refuse);
  const agent = s.agent();
  const told = [];
  for (let n = 0; n < 6; n++) told.push(learned(await runThread(agent)));
  expect(refused()).toBe(1);
  expect(told.map((repairs) => repairs.map(({ before }) => before))).toEqual([
    ['refused'],
    ...Array.from({ length: 5 }, () => ['refused earlier']),
  ]);
  expect(new Set(told.flat().map(({ title }) => title)).size).toBe(1);
  await agent.close();
});

test('a thread that was already open reports once what another thread learned', async () => {
  const { refuse, refused } = refusingInclude();
  const s = await serverScene(refuse);
  const agent = s.agent();
  const events: Event[] = [];
  const thread = await agent.startThread({ onEvent: (event) => events.push(event) });
  await runThread(agent);
  await thread.run('one');
  await thread.run('two');
  expect(learned(events)).toHaveLength(1);
  expect(refused()).toBe(1);
  await agent.close();
});

test('a missing wire is tried once, even by threads that were already open', async () => {
  const lacksResponses = (response: ServerResponse, request: IncomingMessage) => {
    const isLacking = request.url?.endsWith('/responses') ?? false;
    if (isLacking) sendJson(response, 404, {});
    return isLacking;
  };
  const s = await serverScene(lacksResponses, { model_providers: { scripted: { wire_api: 'auto' } } });
  const agent = s.agent();
  const threads = [await agent.startThread(), await agent.startThread(), await agent.startThread()];
  for (const thread of threads) expect((await thread.run('go')).finalResponse).toBe('done');
  expect(s.server.requests.map(({ path }) => path.split('/').at(-1))).toEqual([
    'responses',
    'completions',
    'completions',
    'completions',
  ]);
  await agent.close();
});

test('agents that share servers share the connection and what was learned, and none of them closes it', async () => {
  const { refuse, refused } = refusingInclude();
  const s = await serverScene(refuse);
  const servers = createServers();
  const [one, other] = [s.agent({ servers }), s.agent({ servers })];
  await runThread(one);
  await runThread(other);
  await one.close();
  await runThread(other);
  await other.close();
  expect(refused()).toBe(1);
  expect([s.server.connections(), s.server.openConnections()]).toEqual([1, 1]);
  await servers.close();
  await servers.close();
  await expect.poll(s.server.openConnections).toBe(0);
});

test('without shared servers each agent has its own', async () => {
  const { refuse, refused } = refusingInclude();
  const s = await serverScene(refuse);
  for (const agent of [s.agent(), s.agent()]) {
    await runThread(agent);
    await agent.close();
  }
  expect([refused(), s.server.connections()]).toEqual([2, 2]);
});

test('closing the servers fails the turns of their agents at once', async () => {
  const s = await serverScene();
  const servers = createServers();
  const agent = s.agent({ servers });
  const thread = await agent.startThread();
  await thread.run('go');
  await servers.close();
  expect(await thread.run('go')).toMatchObject({
    status: 'failed',
    error: { code: 'aborted', message: 'The connections to the servers were closed.' },
  });
  await agent.close();
});

test('other objects are refused as servers', async () => {
  const s = await serverScene();
  const servers: Servers = { async close() {} };
  expect(() => s.agent({ servers })).toThrow(UserError);
});

test('a cassette of an agent with shared servers holds the refusal that the others learned from', async () => {
  const { refuse, refused } = refusingInclude();
  const s = await serverScene(refuse);
  const servers = createServers();
  const cassette = join(s.workspace.path, 'cassette.jsonl');
  const [teacher, recorder] = [s.agent({ servers }), s.agent({ servers, record: cassette })];
  await runThread(teacher);
  await runThread(recorder);
  expect(refused()).toBe(2);
  for (const agent of [teacher, recorder]) await agent.close();
  await servers.close();
  const replayed = s.agent({ replay: cassette });
  await runThread(replayed);
  await replayed.close();
});

test('5 turns of a Codex use one connection, and one thread does not end those of another', async () => {
  const s = await serverScene();
  const codex = new Codex({
    apiKey: 'k',
    baseUrl: s.server.url,
    env: { HOME: s.workspace.home, CODEX_HOME: s.workspace.home, PATH: process.env.PATH ?? '' },
    config: { model_provider: 'openai' },
  });
  const options = { workingDirectory: s.workspace.path, model: 'm' };
  const [one, other] = [codex.startThread(options), codex.startThread(options)];
  for (const thread of [one, other, one, other]) expect((await thread.run('go')).finalResponse).toBe('done');
  expect((await codex.resumeThread(one.id ?? '', options).run('go')).finalResponse).toBe('done');
  expect(s.server.connections()).toBe(1);
});
