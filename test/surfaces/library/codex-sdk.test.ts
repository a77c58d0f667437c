import { expect, test } from 'vitest';
import { Codex } from '../../../src/app/codex-sdk/index.ts';
import { call, fault, gate, reply, say } from '../../../src/testing/index.ts';
import { type Scene, scene } from '../../harness/scene.ts';

function codexOf(s: Scene, more: object = {}): Codex {
  return new Codex({
    apiKey: 'sdk-key',
    baseUrl: s.model.url,
    env: { HOME: s.workspace.home, CODEX_HOME: s.workspace.home, PATH: process.env.PATH ?? '' },
    ...more,
  });
}

test('runs, continues and resumes threads', async () => {
  const s = await scene([
    reply(call('exec_command', { cmd: 'echo hi' })),
    reply(say('one')),
    reply(say('two')),
    reply(say('three')),
  ]);
  const codex = codexOf(s);
  const thread = codex.startThread({
    workingDirectory: s.workspace.path,
    sandboxMode: 'danger-full-access',
    model: 'gpt-5.5',
  });
  expect(thread.id).toBeNull();
  const turn = await thread.run('first');
  expect(turn.finalResponse).toBe('one');
  expect(turn.items.map(({ type }) => type)).toEqual(['command_execution', 'agent_message']);
  expect(turn.usage?.input_tokens).toBe(200);
  expect((await thread.run('second')).finalResponse).toBe('two');
  const again = codex.resumeThread(thread.id ?? '', { workingDirectory: s.workspace.path });
  const third = await again.run([
    { type: 'text', text: 'third' },
    { type: 'text', text: 'part' },
  ]);
  expect(third.finalResponse).toBe('three');
  expect(s.model.requests[0]?.headers.authorization).toBe('Bearer sdk-key');
  expect(JSON.stringify(s.model.requests[3]?.body.input)).toContain('third\\n\\npart');
});

test('streams events', async () => {
  const s = await scene([reply(say('hello'))]);
  const { events } = await codexOf(s).startThread({ workingDirectory: s.workspace.path }).runStreamed('x');
  const types: string[] = [];
  for await (const event of events) types.push(event.type);
  expect(types).toEqual(['thread.started', 'turn.started', 'item.completed', 'turn.completed']);
});

test('has only events that the SDK has, also where a call was found in a text', async () => {
  const text = '<tool_call>{"name":"exec_command","arguments":{"cmd":"true"}}</tool_call>';
  const s = await scene([reply(say(text)), reply(say('done'))]);
  const { events } = await codexOf(s).startThread({ workingDirectory: s.workspace.path }).runStreamed('x');
  const types = new Set<string>();
  for await (const event of events) types.add('item' in event ? event.item.type : event.type);
  expect([...types]).toEqual([
    'thread.started',
    'turn.started',
    'command_execution',
    'agent_message',
    'turn.completed',
  ]);
});

test('fails as the SDK does: run throws, a signal aborts, a folder without git is refused', async () => {
  const s = await scene([
    fault.status(400, { error: { message: 'no such model' } }),
    reply(say('x'), gate(new Promise(() => {}))),
  ]);
  const options = { workingDirectory: s.workspace.path };
  await expect(codexOf(s).startThread(options).run('x')).rejects.toThrow('no such model');
  const controller = new AbortController();
  const running = codexOf(s).startThread(options).run('x', { signal: controller.signal });
  await s.model.waitForRequest(2);
  controller.abort();
  await expect(running).rejects.toThrow(/abort/i);
  await expect(codexOf(s).startThread({ workingDirectory: s.workspace.home }).run('x')).rejects.toThrow(
    'skipGitRepoCheck',
  );
});

test('passes settings on, and leaves the answer alone', async () => {
  const s = await scene([reply(say('prose'))]);
  const codex = codexOf(s, {
    config: { tools: { command: 'shell' } },
    configOverrides: ['model_reasoning_summary="none"'],
  });
  const thread = codex.startThread({ workingDirectory: s.workspace.path, modelReasoningEffort: 'low' });
  expect(await thread.run('x', { outputSchema: { type: 'object' } })).toMatchObject({ finalResponse: 'prose' });
  const body = s.model.requests[0]?.body;
  expect(body?.reasoning).toEqual({ effort: 'low' });
  expect(body?.tools?.map((tool) => 'name' in tool && tool.name)).toContain('shell');
  expect(body?.text).toMatchObject({ format: { type: 'json_schema' } });
});
