import { expect, test } from 'vitest';
import { testEnvironment } from '../../../src/exec/environment/test-environment.ts';
import type { Environment, FetchLike, Model, ModelRequest, StreamedEvent } from '../../../src/index.ts';
import { call, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';

test('commands, files and images come from a custom environment, one for each thread', async () => {
  const opened: string[] = [];
  const closed: string[] = [];
  const own = (threadId: string): Environment => {
    const local = testEnvironment();
    return {
      ...local,
      open(action, options) {
        opened.push(`${threadId}: ${action.argv.at(-1)}`);
        return local.open({ ...action, argv: ['/bin/echo', 'from elsewhere'] }, options);
      },
      async close() {
        closed.push(threadId);
        await local.close();
      },
    };
  };
  const s = await libraryScene(
    [
      reply(call('exec_command', { cmd: 'hostname' })),
      reply(say('one')),
      reply(call('exec_command', { cmd: 'date' })),
      reply(say('two')),
    ],
    {},
    { environment: ({ threadId }) => own(threadId) },
  );
  const threads = [await s.agent.startThread(s.threadOptions()), await s.agent.startThread(s.threadOptions())];
  for (const thread of threads) await thread.run('go');
  expect(opened).toEqual([`${threads[0]?.id}: hostname`, `${threads[1]?.id}: date`]);
  expect(s.outputs(1).get('call_1')).toContain('from elsewhere');
  for (const thread of threads) await thread.close();
  expect(closed).toEqual(threads.map(({ id }) => id));
});

test('an environment that cannot be created fails the call, and the next call tries again', async () => {
  let attempts = 0;
  const s = await libraryScene(
    [reply(call('exec_command', { cmd: 'true' })), reply(call('exec_command', { cmd: 'true' })), reply(say('done'))],
    {},
    {
      environment() {
        attempts++;
        if (attempts < 3) throw new Error('the container does not start');
        return testEnvironment();
      },
    },
  );
  const thread = await s.agent.startThread(s.threadOptions());
  const { status } = await thread.run('go');
  expect(status).toBe('completed');
  const outputs = [...s.outputs(2).values()];
  expect(outputs[0]).toBe('exec_command failed: the container does not start');
  await thread.close();
});

test('a custom model replaces the server', async () => {
  const asked: ModelRequest[] = [];
  async function* stream(request: ModelRequest): AsyncGenerator<StreamedEvent> {
    asked.push(request);
    yield { type: 'created', responseId: 'r' };
    const isFirst = asked.length === 1;
    const item = isFirst
      ? ({
          type: 'function_call',
          id: 'f',
          call_id: 'c',
          name: 'exec_command',
          arguments: '{"cmd":"echo hello"}',
        } as const)
      : ({ type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] } as const);
    yield { type: 'item.started', item: { type: item.type, id: item.id } };
    yield { type: 'item.done', item };
    yield { type: 'completed', responseId: 'r', usage: null, endTurn: null };
  }
  const own: Model = { stream, maxStreamRetries: 0, retryDelayMs: () => 0 };
  const s = await libraryScene([], { model: 'my-model' }, { model: own });
  const thread = await s.agent.startThread(s.threadOptions());
  expect(await thread.run('go')).toMatchObject({ status: 'completed', finalResponse: 'done' });
  expect(asked.map(({ model }) => model)).toEqual(['my-model', 'my-model']);
  expect(JSON.stringify(asked[1]?.input)).toContain('hello');
  expect(s.model.requests).toEqual([]);
  await thread.close();
});

test('requests go through a custom fetch, with their key', async () => {
  const urls: string[] = [];
  const own: FetchLike = (url, init) => {
    urls.push(url);
    return fetch(url, { ...init, headers: { ...init.headers, 'x-via': 'mine' } });
  };
  const s = await libraryScene([reply(call('exec_command', { cmd: 'true' })), reply(say('done'))], {}, { fetch: own });
  const thread = await s.agent.startThread(s.threadOptions());
  expect(await thread.run('go')).toMatchObject({ status: 'completed' });
  expect(urls).toEqual([`${s.model.url}/responses`, `${s.model.url}/responses`]);
  const [first] = s.model.requests;
  expect([first?.headers['x-via'], first?.headers.authorization]).toEqual(['mine', 'Bearer scripted-key']);
  await thread.close();
});
