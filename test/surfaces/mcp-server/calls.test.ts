import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LISTED_TOOLS } from '../../../src/mcp-server/listed-tools.ts';
import { call, fault, gate, reply, say, textsOf, toolsOf, when } from '../../../src/testing/index.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';
import { survivors } from '../../harness/survivors.ts';
import { mcpScene, testOf, WAYS, type Way } from './mcp-scene.ts';

const LS = reply(call('exec_command', { cmd: 'cat a.txt' }));

const STILL = ['one', 'two', 'three'].map(() => reply(say('Still one.')));

const WRONG: readonly (readonly [tool: string, input: Record<string, unknown>, sentence: string])[] = [
  ['codex', {}, 'The parameter prompt of codex is missing.'],
  ['codex', { prompt: 5 }, 'The parameter prompt of codex must be a string that is not empty, not 5.'],
  [
    'codex',
    { prompt: 'a', include_plan_tool: 'yes' },
    'The parameter include_plan_tool of codex must be true or false',
  ],
  ['codex', { prompt: 'a', sandbox: 'none' }, 'The parameter sandbox of codex must be one of read-only'],
  ['codex', { prompt: 'a', config: [] }, 'The parameter config of codex must be an object, not [].'],
  ['codex', { prompt: 'a', config: { model_verbosity: 'loud' } }, 'model_verbosity must be one of'],
  ['codex', { prompt: 'a', profile: 'none' }, 'none'],
  ['codex', { prompt: 'a', cwd: '/nowhere/at/all' }, '/nowhere/at/all'],
  ['codex-reply', { prompt: 'a' }, 'The parameter sessionId of codex-reply is missing.'],
  ['codex-reply', { prompt: 'a', threadId: '01990000-0000-7000-8000-000000000000' }, 'no thread'],
];

describe.each(WAYS)('over $over with $revision', (way) => {
  const testWay = testOf(way);

  testWay('both tools are listed with their schemas', async () => {
    const { connect } = await mcpScene(way, []);
    const { client } = await connect();
    const { tools } = await client.listTools();
    expect(tools).toMatchObject(LISTED_TOOLS);
  });

  testWay('codex runs a turn with a command, and codex-reply continues it', async () => {
    const { connect, model } = await mcpScene(way, [LS, reply(say('It says one.')), ...STILL]);
    const { call: callTool, events } = await connect();
    const first = await callTool('codex', { prompt: 'what does a.txt say?' });
    const { threadId = '' } = first.structuredContent ?? {};
    expect({ ...first, _meta: undefined }).toEqual({
      content: [{ type: 'text', text: 'It says one.' }],
      structuredContent: { threadId, conversationId: threadId, sessionId: threadId, content: 'It says one.' },
    });
    expect(events[0]?.msg).toMatchObject({
      type: 'session_configured',
      session_id: threadId,
      threadId,
      conversationId: threadId,
      sessionId: threadId,
      model: 'scripted',
    });
    expect(events.every(({ _meta }) => _meta.threadId === threadId && _meta.requestId !== undefined)).toBe(true);
    const types = events.map(({ msg }) => msg.type).filter((type) => !type.endsWith('_delta'));
    expect(types).toEqual([
      'session_configured',
      'task_started',
      'exec_command_begin',
      'token_count',
      'exec_command_end',
      'agent_message',
      'token_count',
      'task_complete',
    ]);
    expect(events.find(({ msg }) => msg.type === 'exec_command_end')?.msg).toMatchObject({
      exit_code: 0,
      aggregated_output: 'one\n',
    });
    for (const name of ['sessionId', 'conversationId', 'thread_id']) {
      const again = await callTool('codex-reply', { prompt: `sure (${name})?`, [name]: threadId });
      expect(again).toMatchObject({ content: [{ text: 'Still one.' }], structuredContent: { threadId } });
    }
    expect(textsOf(model.requests[2] as never).map(({ text }) => text)).toEqual(
      expect.arrayContaining(['what does a.txt say?', 'It says one.', 'sure (sessionId)?']),
    );
  });

  testWay('a cancelled call is answered, and its command is gone', async () => {
    const { connect } = await mcpScene(way, [
      reply(call('exec_command', { cmd: 'sleep 4711.5', yield_time_ms: 30000 })),
    ]);
    const { call: callTool, event, client } = await connect();
    const stop = new AbortController();
    const cancelled = callTool('codex', { prompt: 'wait' }, { signal: stop.signal });
    await event('exec_command_begin');
    await expect.poll(() => survivors('4711.5')).toHaveLength(1);
    stop.abort('enough');
    await expect(cancelled).rejects.toThrow();
    await expect.poll(() => survivors('4711.5'), { timeout: 10_000 }).toEqual([]);
    expect((await client.listTools()).tools).toHaveLength(2);
  });

  testWay('two threads run at the same time', async () => {
    let open = () => {};
    const held = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { connect } = await mcpScene(way, [
      when('first').reply(gate(held), say('One.')),
      when('second').reply(say('Two.')),
    ]);
    const { call: callTool } = await connect();
    const first = callTool('codex', { prompt: 'the first' });
    expect((await callTool('codex', { prompt: 'the second' })).content[0]?.text).toBe('Two.');
    open();
    expect((await first).content[0]?.text).toBe('One.');
  });

  testWay('a reply to a thread whose turn runs is refused with a sentence', async () => {
    let open = () => {};
    const held = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { connect } = await mcpScene(way, [reply(gate(held), say('One.'))]);
    const { call: callTool, event } = await connect();
    const first = callTool('codex', { prompt: 'go' });
    const { _meta } = await event('task_started');
    const refused = await callTool('codex-reply', { prompt: 'and?', threadId: _meta.threadId });
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('still running') }] });
    open();
    await first;
  });

  testWay('a thread of a server that has ended is resumed with its settings', async () => {
    const { connect, restart, workspace } = await mcpScene(way, [reply(say('One.')), reply(say('Two.'))]);
    const before = await connect();
    const first = await before.call('codex', {
      prompt: 'go',
      model: 'another',
      sandbox: 'read-only',
      cwd: '.',
      'include-plan-tool': false,
    });
    await before.close();
    await restart();
    const after = await connect();
    const { threadId } = first.structuredContent ?? {};
    const second = await after.call('codex-reply', { prompt: 'again', threadId });
    expect(second.content[0]?.text).toBe('Two.');
    expect(after.events[0]?.msg).toMatchObject({
      model: 'another',
      cwd: workspace.path,
      sandbox_policy: { type: 'read-only' },
    });
  });

  testWay('wrong parameters are tool errors that name the parameter', async () => {
    const { connect } = await mcpScene(way, []);
    const { call: callTool } = await connect();
    for (const [tool, input, sentence] of WRONG) {
      const { isError, content } = await callTool(tool, input);
      expect({ input, isError, text: content[0]?.text }).toEqual({
        input,
        isError: true,
        text: expect.stringContaining(sentence),
      });
    }
  });

  testWay('an unknown tool and an unknown method are errors of the protocol', async () => {
    const { connect } = await mcpScene(way, []);
    const { client, call: callTool } = await connect();
    await expect(callTool('other', {})).rejects.toThrow('Unknown tool');
    const any = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const;
    await expect(client.request({ method: 'other/thing' }, any)).rejects.toThrow('Method not found');
  });

  testWay('progress is sent to a client that asks for it', async () => {
    const { connect } = await mcpScene(way, [LS, reply(say('One.'))]);
    const { call: callTool } = await connect();
    const seen: { progress: number; message?: string }[] = [];
    await callTool('codex', { prompt: 'go' }, { onprogress: (one: never) => seen.push(one) });
    expect(seen.map(({ progress }) => progress)).toEqual(seen.map((_, at) => at + 1));
    expect(seen.map(({ message }) => message).join('\n')).toContain('cat a.txt');
  });
});

const STDIO: Way = { over: 'stdio', revision: '2025-11-25' };

test('an include flag offers or refuses its tool, and without it the configuration decides', async () => {
  const { connect, model } = await mcpScene(STDIO, () => reply(say('Done.')), { tools: { view_image: false } });
  const { call: callTool } = await connect();
  await callTool('codex', { prompt: 'go' });
  await callTool('codex', { prompt: 'go', 'include-view-image-tool': true, include_plan_tool: false });
  await callTool('codex', { prompt: 'go', includeApplyPatchTool: false, 'tools-web-search-request': true });
  const offered = model.requests.map((request) => toolsOf(request));
  expect(offered[0]).toEqual(expect.arrayContaining(['exec_command', 'update_plan', 'apply_patch']));
  expect(offered[0]).not.toContain('view_image');
  expect(offered[1]).toContain('view_image');
  expect(offered[1]).not.toContain('update_plan');
  expect(offered[2]).not.toContain('apply_patch');
  expect(offered[2]).toContain('web_search');
});

test('instructions, a profile, settings and a relative folder reach the thread', async () => {
  const { connect, model, workspace } = await mcpScene(STDIO, () => reply(say('Done.')), {
    profiles: { small: { model: 'little' } },
  });
  mkdirSync(join(workspace.path, 'below'));
  const { call: callTool, events } = await connect();
  const { structuredContent } = await callTool('codex', {
    prompt: 'go',
    'base-instructions': 'Be brief.',
    profile: 'small',
    cwd: 'below',
    config: { model_verbosity: 'low' },
  });
  expect(events[0]?.msg).toMatchObject({ model: 'little', cwd: join(workspace.path, 'below') });
  expect(model.requests[0]?.body).toMatchObject({ instructions: 'Be brief.', text: { verbosity: 'low' } });
  await callTool('codex-reply', { prompt: 'go', ...structuredContent, base_instructions: 'Be long.' });
  expect(model.requests[1]?.body).toMatchObject({ instructions: 'Be long.', text: { verbosity: 'low' } });
});

test('a thread of the server says that it came over MCP, as in Codex', async () => {
  const { connect, rollout } = await mcpScene(STDIO, [reply(say('Done.'))]);
  await (await connect()).call('codex', { prompt: 'go' });
  expect(rollout()[0]).toMatchObject({ type: 'session_meta', payload: { source: 'mcp' } });
});

test('a changed config.toml counts for the next thread', async () => {
  const { connect, model, workspace } = await mcpScene(STDIO, () => reply(say('Done.')));
  const { call: callTool } = await connect();
  await callTool('codex', { prompt: 'go' });
  workspace.configure(scriptedConfig(model.url, { model: 'newer' }));
  await callTool('codex', { prompt: 'go' });
  expect(model.requests.map(({ body }) => body.model)).toEqual(['scripted', 'newer']);
});

test('a turn that fails is a tool error with a sentence and the id', async () => {
  const { connect } = await mcpScene(STDIO, [fault.status(401, { error: { message: 'No such key.' } })]);
  const { call: callTool, events } = await connect();
  const { isError, content, structuredContent } = await callTool('codex', { prompt: 'go' });
  expect({ isError, text: content[0]?.text }).toEqual({ isError: true, text: expect.stringContaining('No such key.') });
  expect(structuredContent?.content).toBe(content[0]?.text);
  expect(events.map(({ msg }) => msg.type)).toContain('error');
});

test.each([WAYS[0], WAYS[2]] as Way[])(
  'twelve calls one after another leave no process and no descriptor: over $over',
  async (way) => {
    const { connect, serverPid } = await mcpScene(way, (_, n) => (n % 2 === 1 ? LS : reply(say('One.'))));
    const { call: callTool, pid } = await connect();
    const id = pid ?? serverPid ?? 0;
    const opened: number[] = [];
    for (let n = 0; n < 12; n++) {
      const { content } = await callTool('codex', { prompt: 'go' });
      expect(content[0]?.text).toBe('One.');
      if (n === 3 || n === 11) opened.push(descriptorsOf(id));
    }
    const [early = 0, late = 0] = opened;
    expect(late).toBeLessThanOrEqual(early + 3);
    await expect.poll(() => childrenOf(id), { timeout: 20_000 }).toEqual([]);
  },
);

/** Returns the processes that a process started and that still run. */
const childrenOf = (pid: number) =>
  readdirSync(`/proc/${pid}/task`)
    .map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim())
    .filter((list) => list !== '');

const descriptorsOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;
