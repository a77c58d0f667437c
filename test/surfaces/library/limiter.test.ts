import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  createAgent,
  createLimiter,
  type LimitedRequest,
  type Limiter,
  type Model,
  type ModelRequest,
  type PermitEnd,
  type StreamedEvent,
} from '../../../src/index.ts';
import { startServer } from '../../../src/model/test-loopback.ts';
import { encodeReply, fault, gate, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { scene } from '../../harness/scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';

/** Returns a limiter that admits every request, and the arguments of its calls. */
function openLimiter() {
  const asked: LimitedRequest[] = [];
  const ends: PermitEnd[] = [];
  const limiter: Limiter = {
    async acquire(request) {
      asked.push(request);
      return { release: (end) => void ends.push(end) };
    },
  };
  return { asked, ends, limiter };
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

test('threads of two agents share one limiter', async () => {
  const { workspace } = await scene([]);
  let underWay = 0;
  let most = 0;
  const server = await startServer((response) => {
    most = Math.max(most, ++underWay);
    setTimeout(() => {
      underWay--;
      const bytes = encodeReply(reply(say('done')), { wire: 'responses' });
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(bytes);
    }, 20);
  });
  workspace.configure(scriptedConfig(server.url));
  const env = { HOME: workspace.home, OXBOW_HOME: workspace.home, PATH: process.env.PATH, SCRIPTED_KEY: 'k' };
  const limiter = createLimiter({ concurrency: 2 });
  const agents = [1, 2].map(() => createAgent({ env, cwd: workspace.path, limiter }));
  const results = await Promise.all(
    agents.flatMap((agent) => [1, 2, 3, 4].map(async () => (await agent.startThread({ ephemeral: true })).run('go'))),
  );
  expect(results.map(({ status }) => status)).toEqual(Array(8).fill('completed'));
  expect(most).toBe(2);
  await Promise.all(agents.map((agent) => agent.close()));
});

test('a limiter learns of the tokens of an answer', async () => {
  const { asked, ends, limiter } = openLimiter();
  const s = await libraryScene([reply(say('done')), reply(say('done'))], {}, { limiter });
  const thread = await s.agent.startThread(s.threadOptions());
  const { totalTokens } = (await thread.run('go')).usage;
  expect(ends).toEqual([{ status: 200, usage: expect.objectContaining({ totalTokens }) }]);
  await thread.run('again');
  // The first estimate goes by bytes, the second by the first answer.
  const [first = 0, second = 0] = s.events.flatMap((event) => (event.type === 'request.ended' ? event.sentBytes : []));
  expect(asked.map(({ estimate }) => estimate)).toEqual([
    Math.ceil(first / 4),
    Math.ceil((second * totalTokens) / first),
  ]);
  await s.agent.close();
});

test('a plain failure of the server costs at most six requests, each with a permit of its own', async () => {
  const { asked, ends, limiter } = openLimiter();
  const s = await libraryScene(() => fault.status(500, 'broken'), {}, { limiter });
  const thread = await s.agent.startThread();
  expect(await thread.run('go')).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
  expect(s.model.requests).toHaveLength(6);
  expect(asked).toHaveLength(6);
  expect(ends).toEqual(Array(6).fill({ status: 500 }));
  await s.agent.close();
});

test.each([
  ['a header', fault.status(429, {}, { 'retry-after': '3' }), { status: 429, retryAfterMs: 3000 }],
  [
    'a header of an overloaded server',
    fault.status(529, {}, { 'retry-after': '3' }),
    { status: 529, retryAfterMs: 3000 },
  ],
  [
    'words',
    fault.status(429, { error: { message: 'Rate limit reached. Please try again in 1.5s.' } }),
    { status: 429, retryAfterMs: 1500 },
  ],
  [
    'a failed response',
    reply({ failed: { code: 'rate_limit_exceeded', message: 'Please try again in 2s.' } }),
    { status: 200, retryAfterMs: 2000 },
  ],
])('a limiter learns of a wait that the server asks for by %s', async (_, answer, end) => {
  const { ends, limiter } = openLimiter();
  const s = await libraryScene([answer, reply(say('done'))], {}, { limiter });
  const thread = await s.agent.startThread();
  expect((await thread.run('go')).status).toBe('completed');
  expect(ends[0]).toEqual(end);
  expect(ends).toHaveLength(2);
  await s.agent.close();
});

test('the wait is reported, and does not count as silence of the server', async () => {
  const limiter: Limiter = {
    async acquire() {
      await wait(2500);
      return { release() {} };
    },
  };
  const times = { stream_idle_timeout_ms: 2000, request_max_retries: 0, stream_max_retries: 0 };
  const s = await libraryScene([reply(say('done'))], { model_providers: { scripted: times } }, { limiter });
  const thread = await s.agent.startThread(s.threadOptions());
  expect((await thread.run('go')).status).toBe('completed');
  expect(s.events.filter(({ type }) => type === 'request.waiting')).toHaveLength(1);
  const ended = s.events.find((event) => event.type === 'request.ended');
  expect(ended?.waitedMs).toBeGreaterThanOrEqual(2400);
  expect(ended?.ms).toBeLessThan(ended?.waitedMs ?? 0);
  await s.agent.close();
});

test('a turn that waits can be interrupted, and a closed agent waits for nothing', async () => {
  const opened = deferred<void>();
  const limiter = createLimiter({ concurrency: 1 });
  const s = await libraryScene([reply(gate(opened.promise), say('done'))], {}, { limiter });
  const running = (await s.agent.startThread()).run('go');
  while (s.model.requests.length === 0) await wait(5);
  /** Starts a turn and resolves when it waits. */
  const waitingTurn = async (signal?: AbortSignal) => {
    const waits = deferred<void>();
    const thread = await s.agent.startThread({ onEvent: ({ type }) => type === 'request.waiting' && waits.resolve() });
    const ended = thread.run('go', signal ? { signal } : {});
    await waits.promise;
    return { ended };
  };
  const abort = new AbortController();
  const interrupted = await waitingTurn(abort.signal);
  const closed = await waitingTurn();
  abort.abort();
  expect((await interrupted.ended).status).toBe('aborted');
  await s.agent.close();
  expect((await closed.ended).status).toBe('aborted');
  expect((await running).status).toBe('aborted');
  opened.resolve();
  expect(s.model.requests).toHaveLength(1);
  // Every permit came back.
  const permit = await limiter.acquire({ signal: new AbortController().signal, estimate: 1 });
  await permit.release({ status: null });
});

test('a limiter that ignores the abort of a turn gets its permit back', async () => {
  const admitted = deferred<void>();
  const released = deferred<PermitEnd>();
  const limiter: Limiter = {
    async acquire() {
      await admitted.promise;
      return { release: released.resolve };
    },
  };
  const s = await libraryScene([], {}, { limiter });
  const thread = await s.agent.startThread();
  const running = thread.run('go');
  await wait(20);
  await s.agent.close();
  expect((await running).status).toBe('aborted');
  admitted.resolve();
  expect(await released.promise).toEqual({ status: null });
});

test('a limiter that fails is named, and costs no answer that came', async () => {
  const s = await libraryScene([], {}, { limiter: { acquire: () => Promise.reject(new Error('no Redis')) } });
  const refused = await (await s.agent.startThread()).run('go');
  expect(refused).toMatchObject({
    status: 'failed',
    error: { message: 'The limiter let no request through: no Redis' },
  });
  await s.agent.close();

  const release = () => Promise.reject(new Error('Redis is gone'));
  const t = await libraryScene([reply(say('done'))], {}, { limiter: { acquire: async () => ({ release }) } });
  const thread = await t.agent.startThread(t.threadOptions());
  expect((await thread.run('go')).status).toBe('completed');
  await wait(0);
  const message = 'The limiter could not take back a permit: Redis is gone';
  expect(t.events).toContainEqual(expect.objectContaining({ type: 'warning', code: 'callback', message }));
  await t.agent.close();
});

test('a custom model needs permits too', async () => {
  const { asked, ends, limiter } = openLimiter();
  const usage = { cachedInputTokens: 0, cacheWriteInputTokens: 0, reasoningOutputTokens: 0 };
  async function* stream(_: ModelRequest): AsyncGenerator<StreamedEvent> {
    yield { type: 'created', responseId: 'r' };
    const item = {
      type: 'message',
      id: 'm',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'hi' }],
    } as const;
    yield { type: 'item.started', item: { type: item.type, id: item.id } };
    yield { type: 'item.done', item };
    const totals = { inputTokens: 3, outputTokens: 4, totalTokens: 7 };
    yield { type: 'completed', responseId: 'r', usage: { ...usage, ...totals }, endTurn: null };
  }
  const model: Model = { stream, maxStreamRetries: 0, retryDelayMs: () => 0 };
  const s = await libraryScene([], {}, { limiter, model });
  const thread = await s.agent.startThread();
  expect((await thread.run('go')).finalResponse).toBe('hi');
  expect(asked[0]?.estimate).toBeGreaterThan(0);
  expect(ends).toEqual([{ status: 200, usage: expect.objectContaining({ totalTokens: 7 }) }]);
  await s.agent.close();
});
