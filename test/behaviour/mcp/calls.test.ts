import { expect, test } from 'vitest';
import type { Ask } from '../../../src/index.ts';
import { call, reply, say, toolsOf } from '../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../harness/library-scene.ts';
import { mcpTestServer } from '../../harness/mcp-notes.ts';
import { requestFaults } from '../../harness/request-faults.ts';
import type { ConfigTable } from '../../harness/scripted-config.ts';
import { outputsOf, over, WIRES } from '../../harness/wires.ts';

const bare = (text: string | undefined) => text?.replace(/^Wall time: [\d.]+ seconds\nOutput:\n/, '');
const outputs = (s: LibraryScene, n: number) => [...s.outputs(n).values()].map(bare);

async function sceneWith(calls: readonly ReturnType<typeof call>[], more: ConfigTable = {}) {
  const server = mcpTestServer(0, more);
  const s = await libraryScene([reply(...calls), reply(say('done'))], { mcp_servers: { docs: server.table } });
  return { server, s };
}

test('a tool is found under every form of its name', async () => {
  const { s } = await sceneWith([
    call('docs__echo', { word: '1' }),
    call('mcp__docs__echo', { word: '2' }),
    call('docs.echo', { word: '3' }),
  ]);
  await (await s.agent.startThread(s.threadOptions())).run('go');
  expect(outputs(s, 1)).toEqual(['1', '2', '3']);
  await s.agent.close();
});

test.each(WIRES)('a tool whose name is too long is offered under a shorter one over %s', async (wire) => {
  const server = mcpTestServer(0);
  const name = 'documents_'.repeat(8);
  const s = await libraryScene(
    (request, n) => {
      const offered = toolsOf(request).filter((tool) => tool.startsWith('documents_documents_'));
      if (n > 1) return reply(say('done'));
      expect(offered.every((tool) => tool.length === 64)).toBe(true);
      return reply(...offered.map((tool, at) => call(tool, { word: 'over here', a: 1, b: 2 }, { callId: `c${at}` })));
    },
    over(wire, { mcp_servers: { [name]: { ...server.table, enabled_tools: ['echo', 'sum', 'wrong', 'picture'] } } }),
  );
  const { status } = await (await s.agent.startThread(s.threadOptions())).run('go');
  expect(status).toBe('completed');
  const texts = [...outputsOf(s.model, 1).values()].join('\n');
  for (const text of ['over here', '{"sum":3}', 'It did not work.']) expect(texts).toContain(text);
  // The picture is in an output, or behind the outputs.
  expect(s.model.requests[1]?.bytes.toString()).toContain('iVBORw0KGgo');
  for (const { body } of s.model.requests) expect(requestFaults(body)).toEqual([]);
  await s.agent.close();
});

test('structured content, errors and unknown names are outputs', async () => {
  const { s } = await sceneWith([
    call('docs__sum', { a: 1, b: 2 }),
    call('docs__wrong', {}),
    call('docs__nothing', {}),
    call('docs__echo', [1]),
  ]);
  await (await s.agent.startThread(s.threadOptions())).run('go');
  expect(outputs(s, 1)).toEqual([
    '{"sum":3}',
    'It did not work.',
    'unsupported call: docs__nothing',
    'failed to parse function arguments: the arguments are not an object',
  ]);
  // Calls that only read end in any order.
  const failures = s.events.flatMap((event) => (event.type === 'call.ended' ? [[event.callId, event.failure]] : []));
  expect(Object.fromEntries(failures)).toEqual({ call_1: null, call_2: 'mcp', call_3: 'parse', call_4: 'parse' });
  await s.agent.close();
});

test('the server learns the ids of the call and the thread, and a key that is the same for the same call', async () => {
  const { s } = await sceneWith([call('docs__meta', {})]);
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  expect(JSON.parse(outputs(s, 1)[0] ?? '')).toMatchObject({
    callId: 'call_1',
    threadId: thread.id,
    'oxbow/idempotencyKey': expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8/),
  });
  await s.agent.close();
});

test('progress is an event', async () => {
  const { s } = await sceneWith([call('docs__steps', {})]);
  await (await s.agent.startThread(s.threadOptions())).run('go');
  expect(s.events.flatMap((event) => (event.type === 'call.progress' ? [event.text] : []))).toEqual([
    'working (1/2)',
    'working (2/2)',
  ]);
  expect(outputs(s, 1)).toEqual(['both done']);
  await s.agent.close();
});

test('an image is a part of the output', async () => {
  const { s } = await sceneWith([call('docs__picture', {})]);
  await (await s.agent.startThread(s.threadOptions())).run('go');
  const output = s.model.requests[1]?.body.input?.find((item) => item.type === 'function_call_output');
  expect(output).toMatchObject({
    output: [
      { type: 'input_text' },
      { type: 'input_image', image_url: expect.stringMatching(/^data:image\/png;base64,/) },
    ],
  });
  await s.agent.close();
});

test('the limit of a tool bounds its outputs', async () => {
  const { s } = await sceneWith([call('docs__echo', { word: 'x'.repeat(1000) })], {
    tools: { echo: { output_token_limit: 10 } },
  });
  await (await s.agent.startThread(s.threadOptions())).run('go');
  expect(outputs(s, 1)[0]).toMatch(/^x{20}…240 tokens truncated…x{20}$/);
  await s.agent.close();
});

test('resources are listed and read by tools', async () => {
  const { s } = await sceneWith([
    call('list_mcp_resources', {}),
    call('list_mcp_resource_templates', { server: 'docs' }),
    call('read_mcp_resource', { server: 'docs', uri: 'memo://1' }),
    call('read_mcp_resource', { server: 'x', uri: 'memo://1' }),
  ]);
  await (await s.agent.startThread(s.threadOptions())).run('go');
  expect(outputs(s, 1)).toEqual([
    '{"resources":[{"server":"docs","uri":"memo://1","name":"Memo"}]}',
    '{"server":"docs","resourceTemplates":[{"server":"docs","uriTemplate":"memo://{n}","name":"Memos"}]}',
    '{"server":"docs","uri":"memo://1","contents":[{"uri":"memo://1","text":"a memo"}]}',
    "unknown MCP server 'x'",
  ]);
  await s.agent.close();
});

test('a yes to a tool of a server covers that tool until the thread ends', async () => {
  const server = mcpTestServer();
  const effect = reply(call('docs__effect', {}));
  const s = await libraryScene([effect, effect, reply(say('done'))], {
    mcp_servers: { docs: server.table },
    sandbox_mode: 'read-only',
    approval_policy: 'on-request',
  });
  const asks: Ask[] = [];
  const ask = (one: Ask) => {
    asks.push(one);
    return { type: 'approve', scope: { type: 'tool' } } as const;
  };
  await (await s.agent.startThread(s.threadOptions({ ask }))).run('go');
  expect(asks).toMatchObject([
    { shown: 'docs.effect {}', action: { kind: 'mcp', server: 'docs', tool: 'effect', approval: 'auto' } },
  ]);
  expect(server.effects()).toBe(2);
  await s.agent.close();
});

const QUESTION = { mode: 'form', message: 'Which colour?', schema: expect.objectContaining({ required: ['colour'] }) };

test.each([
  ['an answer', { type: 'approve', content: { colour: 'red' } }, { action: 'accept', content: { colour: 'red' } }],
  ['a no', 'denied', { action: 'decline' }],
] as const)('a question of a server goes to the user, and %s goes back', async (_, answer, received) => {
  const { s } = await sceneWith([call('docs__question', {})]);
  const asks: Ask[] = [];
  const ask = (one: Ask) => {
    asks.push(one);
    return answer;
  };
  await (await s.agent.startThread(s.threadOptions({ ask }))).run('go');
  expect(asks).toMatchObject([
    {
      callId: 'call_1',
      shown: 'Which colour?',
      action: { kind: 'mcp_elicitation', server: 'docs', tool: 'question', question: QUESTION },
      scopes: [{ scope: { type: 'once' }, effect: 'The answer is sent to the MCP server.' }],
    },
  ]);
  expect(JSON.parse(outputs(s, 1)[0] ?? '')).toEqual(received);
  expect(s.events.filter(({ type }) => type === 'ask.opened' || type === 'ask.answered')).toHaveLength(2);
  expect(JSON.stringify(s.rollout().filter(({ type }) => type === 'oxbow'))).not.toContain('"red"');
  await s.agent.close();
});

test('a question of a server is declined where nobody can be asked', async () => {
  const { s } = await sceneWith([call('docs__question', {})]);
  await (await s.agent.startThread(s.threadOptions())).run('go');
  expect(JSON.parse(outputs(s, 1)[0] ?? '')).toEqual({ action: 'decline' });
  await s.agent.close();
});
