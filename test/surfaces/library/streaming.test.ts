import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createAgent, defineTool, type Event, type Model, type StreamedEvent } from '../../../src/index.ts';
import { call, gate, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('runStreamed yields the events of its turn and then ends', async () => {
  const s = await libraryScene([reply(say('hello there')), reply(say('again'))]);
  const thread = await s.agent.startThread();
  const { events, result } = await thread.runStreamed('hi');
  const types: string[] = [];
  let text = '';
  for await (const event of events) {
    types.push(event.type);
    if (event.type === 'text.delta') text += event.delta;
  }
  expect(text).toBe('hello there');
  expect(types[0]).toBe('thread.started');
  expect(types.at(-1)).toBe('turn.completed');
  expect((await result).items).toMatchObject([{ type: 'agent_message', text: 'hello there' }]);
  expect((await thread.run('more')).finalResponse).toBe('again');
  await thread.close();
});

test('the events of a reader that stops reading do not pile up, and no text is lost', async () => {
  const piece = 'a ferry '.repeat(512);
  const pieces = 12_800;
  const own: Model = {
    maxStreamRetries: 0,
    retryDelayMs: () => 0,
    async *stream(): AsyncGenerator<StreamedEvent> {
      const id = 'msg_1';
      yield { type: 'item.started', item: { type: 'message', id } };
      for (let n = 0; n < pieces; n++) yield { type: 'text.delta', itemId: id, delta: piece };
      const content = [{ type: 'output_text', text: 'a long text' }] as const;
      yield { type: 'item.done', item: { type: 'message', id, role: 'assistant', content } };
      yield { type: 'completed', responseId: 'r', usage: null, endTurn: null };
    },
  };
  const s = await libraryScene([], {}, { model: own });
  const thread = await s.agent.startThread({ ephemeral: true });
  const { events, result } = await thread.runStreamed('hi');
  const read: Event[] = [];
  const next = async () => {
    const { value } = await events.next();
    if (value) read.push(value);
    return value !== undefined;
  };
  await next();
  expect((await result).status).toBe('completed');
  while (await next());
  const lengths = read.map((event) => (event.type === 'text.delta' ? event.delta.length : 0));
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(pieces * piece.length);
  expect(read.length).toBeLessThan(200);
  expect(read.at(-1)?.type).toBe('turn.completed');
  expect(read.at(-1)?.seq).toBeGreaterThan(pieces);
  await thread.close();
});

test('leaving the loop interrupts the turn', async () => {
  const s = await libraryScene([reply(say('one two three'), gate(new Promise(() => {}))), reply(say('done'))]);
  const thread = await s.agent.startThread();
  const { events, result } = await thread.runStreamed('hi');
  for await (const event of events) if (event.type === 'text.delta') break;
  expect((await result).status).toBe('aborted');
  expect((await thread.run('go on')).status).toBe('completed');
  await thread.close();
});

test('a tool of the program is offered, called with typed arguments, and answers', async () => {
  const seen: number[] = [];
  const add = defineTool({
    name: 'add',
    description: 'Adds two numbers.',
    parameters: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
    mutating: false,
    run: ({ a, b }) => {
      seen.push(a, b);
      if (b === 0) throw new Error('no zeros');
      return String(a + b);
    },
  });
  const s = await libraryScene([
    reply(
      call('add', { a: 2, b: 3 }, { callId: 'good' }),
      call('add', { a: 'x' }, { callId: 'wrong' }),
      call('add', { a: 1, b: 0 }, { callId: 'throws' }),
    ),
    reply(say('five')),
  ]);
  const agent = createAgent({ env: s.agent.config.env, cwd: s.workspace.path, tools: [add] });
  const thread = await agent.startThread({ ephemeral: true });
  const result = await thread.run('add');
  expect(result.finalResponse).toBe('five');
  expect(seen).toEqual([2, 3, 1, 0]);
  expect(s.outputs(1).get('good')).toBe('5');
  expect(s.outputs(1).get('wrong')).toContain('failed to parse function arguments');
  expect(s.outputs(1).get('throws')).toBe('err: no zeros');
  expect(s.model.requests[0]?.body.tools?.at(-1)).toMatchObject({ name: 'add', strict: false });
  await thread.close();
});

test('two tools cannot have the same name', async () => {
  const s = await libraryScene([]);
  const shell = defineTool({ name: 'shell', description: '', parameters: { type: 'object' }, run: () => '' });
  const agent = createAgent({ env: s.agent.config.env, cwd: s.workspace.path, tools: [shell] });
  await expect(agent.startThread()).rejects.toThrow('There are two tools called "shell".');
  expect(() => defineTool({ name: 'a b', description: '', parameters: {}, run: () => '' })).toThrow(
    'not a name for a tool',
  );
});

test('images come before the text, each with its name', async () => {
  const s = await libraryScene([reply(say('a pixel'))]);
  writeFileSync(s.workspace.file('pixel.dat'), Buffer.from(PIXEL, 'base64'));
  const thread = await s.agent.startThread();
  await thread.run([
    { type: 'text', text: 'what is this?' },
    { type: 'local_image', path: 'pixel.dat' },
  ]);
  const item = s.model.requests[0]?.body.input?.at(-1);
  expect(item).toMatchObject({
    role: 'user',
    content: [
      { type: 'input_text', text: '<image name=[Image #1] path="pixel.dat">' },
      { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'high' },
      { type: 'input_text', text: '</image>' },
      { type: 'input_text', text: 'what is this?' },
    ],
  });
  s.workspace.write('text.png', 'not an image');
  await expect(thread.run([{ type: 'local_image', path: 'text.png' }])).rejects.toThrow(
    'is not an image that can be sent',
  );
  await expect(thread.run([{ type: 'local_image', path: 'none.png' }])).rejects.toThrow('cannot be read');
  await thread.close();
});

test('a plan is shown as it changes', async () => {
  const plan = (status: string) => ({
    plan: [
      { step: 'look', status },
      { step: 'repair', status: 'pending' },
    ],
  });
  const s = await libraryScene([
    reply(call('update_plan', plan('in_progress'))),
    reply(call('update_plan', { explanation: 'further', ...plan('completed') })),
    reply(say('done')),
  ]);
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  const plans = s.events.flatMap((event) =>
    'item' in event && event.item.type === 'plan' ? [[event.type, event.item.steps[0]?.status]] : [],
  );
  expect(plans).toEqual([
    ['item.started', 'in_progress'],
    ['item.updated', 'completed'],
    ['item.completed', 'completed'],
  ]);
  expect(s.outputs(1).get('call_1')).toBe('Plan updated');
  await thread.close();
});

test('two agents in one process do not disturb each other', async () => {
  const [a, b] = [await libraryScene(() => reply(say('from a'))), await libraryScene(() => reply(say('from b')))];
  const threads = [await a.agent.startThread(a.threadOptions()), await b.agent.startThread(b.threadOptions())];
  const answers = await Promise.all(threads.flatMap((thread) => [thread.run('x')]));
  expect(answers.map(({ finalResponse }) => finalResponse)).toEqual(['from a', 'from b']);
  expect(new Set(a.events.map(({ threadId }) => threadId)).size).toBe(1);
  expect(a.events.map(({ seq }) => seq)).toEqual(a.events.map((_, n) => n + 1));
  for (const thread of threads) await thread.close();
});

test('the final answer can follow a schema', async () => {
  const s = await libraryScene([reply(say('{"ok":true}'))]);
  const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };
  const thread = await s.agent.startThread();
  await thread.run('go', { outputSchema: schema });
  expect(s.model.requests[0]?.body.text).toEqual({
    format: { type: 'json_schema', strict: true, schema, name: 'codex_output_schema' },
  });
  await thread.close();
});

test('the log has a line for each request and call, without secrets', async () => {
  const s = await libraryScene([
    reply(call('exec_command', { cmd: 'echo scripted-key sk-abcdefghijklmnopqrstuv' })),
    reply(say('done')),
  ]);
  s.workspace.configure(scriptedConfig(s.model.url));
  const lines: string[] = [];
  const agent = createAgent({ env: s.agent.config.env, cwd: s.workspace.path, onLog: (line) => lines.push(line) });
  const thread = await agent.startThread({ ephemeral: true });
  await thread.run('go');
  await thread.close();
  const entries = lines.map((line) => JSON.parse(line) as { event: string; name?: string; success?: boolean });
  expect(entries.filter(({ event }) => event === 'request')).toHaveLength(2);
  expect(entries.filter(({ event }) => event === 'call')).toMatchObject([{ name: 'exec_command', success: true }]);
  expect(lines.join('\n')).not.toMatch(/scripted-key|sk-abc/);
  expect(s.workspace.read('../home/log/oxbow.log')).toContain('"event":"call"');
});
