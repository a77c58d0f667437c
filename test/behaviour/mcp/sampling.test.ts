import { expect, onTestFinished, test } from 'vitest';
import type { Ask } from '../../../src/index.ts';
import { makeModern, startHttpServer } from '../../../src/mcp-client/fixtures/http-server.ts';
import { call, reply, say } from '../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../harness/library-scene.ts';
import { mcpTestServer } from '../../harness/mcp-notes.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import type { ConfigTable } from '../../harness/scripted-config.ts';

const ON = { mcp_sampling: true };
const YES: () => 'approved' = () => 'approved';
const NO: () => 'denied' = () => 'denied';
/** Returns the answers that the server got to its requests for messages. */
const answers = (s: LibraryScene, n: number) =>
  JSON.parse(
    s
      .outputs(n)
      .get('call_1')
      ?.replace(/^Wall time: [\d.]+ seconds\nOutput:\n/, '') ?? '',
  );

async function sampleWith(
  input: object,
  more: ConfigTable,
  ask?: (one: Ask) => 'approved' | 'denied',
  texts = ['red'],
) {
  const server = mcpTestServer();
  const written = ask === undefined ? [] : texts.map((text) => reply(say(text)));
  const script = [reply(call('docs__sample', input)), ...written, reply(say('done'))];
  const s = await libraryScene(script, { mcp_servers: { docs: server.table }, ...more });
  const thread = await s.agent.startThread(s.threadOptions(ask && { ask }));
  const result = await thread.run('go');
  const used = await s.agent.usage(thread.id);
  await s.agent.close();
  return { s, result, used };
}

test('the model writes a message for a server after a yes, from the messages of the server alone', async () => {
  const asks: Ask[] = [];
  const { s, result } = await sampleWith({ maxTokens: 9999, temperature: 0.5 }, ON, (one) => {
    asks.push(one);
    return 'approved';
  });
  expect(asks).toMatchObject([
    {
      shown: 'system: Be brief.\nuser: Name a colour.\n(at most 4096 tokens)',
      reason: 'The MCP server "docs" wants to use the model during the call of its tool "sample".',
      action: { kind: 'mcp_sampling', server: 'docs', tool: 'sample' },
      scopes: [{ scope: { type: 'once' }, effect: 'The model writes the message, and the MCP server gets it.' }],
    },
  ]);
  expect(answers(s, 2)).toEqual([
    {
      model: s.model.requests[0]?.body.model,
      role: 'assistant',
      content: { type: 'text', text: 'red' },
      stopReason: 'endTurn',
    },
  ]);
  const { body } = s.model.requests[1] ?? {};
  expect(body).toMatchObject({ instructions: 'Be brief.', max_output_tokens: 4096, temperature: 0.5 });
  expect(body?.tools ?? []).toEqual([]);
  expect(body?.input).toMatchObject([{ role: 'user', content: [{ text: 'Name a colour.' }] }]);
  expect(result.finalResponse).toBe('done');
  // The message does not go into the history.
  expect(JSON.stringify(s.model.requests[2]?.body.input)).not.toContain('Be brief.');
});

test('messages for servers count in the ledger of the turn and in the usage of the thread', async () => {
  const { s, result, used } = await sampleWith({}, ON, YES);
  const { requests, usage } = result.ledger;
  expect(requests).toBe(3);
  const lines = s.rollout().flatMap((line) => (line.type === 'oxbow' ? [line.payload] : []));
  const ended = lines.flatMap((line) => (line.kind === 'request.ended' || line.kind === 'call.sampled' ? [line] : []));
  expect(ended.map(({ kind }) => kind)).toEqual(['request.ended', 'call.sampled', 'request.ended']);
  const tokens = ended.map((line) => line.usage?.total_tokens ?? 0);
  expect(tokens[1]).toBeGreaterThan(0);
  expect(usage.totalTokens).toBe(tokens.reduce((sum, one) => sum + one, 0));
  expect(used.total).toMatchObject({ requests, usage });
});

test('a limit on the requests of a run counts messages for servers', async () => {
  const server = mcpTestServer();
  const s = await libraryScene([reply(call('docs__sample', {})), reply(say('red'))], {
    mcp_servers: { docs: server.table },
    ...ON,
  });
  const thread = await s.agent.startThread(s.threadOptions({ ask: YES }));
  const result = await thread.run('go', { limits: { maxRequests: 2 } });
  expect(result).toMatchObject({ status: 'failed', error: { code: 'limit' } });
  expect(s.model.requests).toHaveLength(2);
  await s.agent.close();
});

test('a server gets the reason of a no', async () => {
  const { s } = await sampleWith({}, ON, NO, []);
  expect(answers(s, 1)).toMatchObject([
    { error: { message: expect.stringContaining('The user does not let this server use the model') } },
  ]);
  expect(s.model.requests).toHaveLength(2);
});

test('without a user to ask, and with the policy never, a server gets the reason and no message', async () => {
  const { s } = await sampleWith({}, ON);
  expect(answers(s, 1)).toMatchObject([{ error: { message: expect.stringContaining('There is nobody to ask.') } }]);
  const never = await sampleWith({}, { ...ON, approval_policy: 'never' }, YES, []);
  expect(answers(never.s, 1)).toMatchObject([
    { error: { message: expect.stringContaining('The approval policy is never, so that nobody is asked.') } },
  ]);
});

test('a call gets five messages at most, one after the other', async () => {
  let open = 0;
  let most = 0;
  const ask = async () => {
    most = Math.max(most, ++open);
    await new Promise((done) => setTimeout(done, 5));
    open--;
    return 'approved' as const;
  };
  const { s } = await sampleWith({ times: 6 }, ON, ask as never, ['1', '2', '3', '4', '5']);
  const got = answers(s, 6) as { content?: { text: string }; error?: { message: string } }[];
  expect(got.map(({ content }) => content?.text)).toEqual(['1', '2', '3', '4', '5', undefined]);
  expect(got[5]?.error?.message).toContain('more than 5 messages of the model in one call');
  expect(most).toBe(1);
});

test.each([
  [{ prompt: 'x'.repeat(300_000) }, /its messages have \d+ bytes, and 262144 is the limit/],
  [{ tools: [{ name: 'x', inputSchema: { type: 'object' } }] }, /tools/],
  [{ messages: [{ role: 'user', content: { type: 'audio', data: '', mimeType: 'audio/wav' } }] }, /type "audio"/],
] as const)('a request that cannot be met is refused without a question (%#)', async (input, why) => {
  const { s } = await sampleWith(input, ON, () => expect.unreachable(), []);
  expect(answers(s, 1)).toMatchObject([{ error: { message: expect.stringMatching(why) } }]);
});

test.each([
  [{}, {}, false],
  [ON, {}, true],
  [ON, { sampling: false }, false],
  [{}, { sampling: true }, true],
])('a server learns of sampling only where it is on (%#)', async (more, table, isOn) => {
  const server = mcpTestServer(0, table);
  const s = await libraryScene([reply(call('docs__client', {})), reply(say('done'))], {
    mcp_servers: { docs: server.table },
    ...more,
  });
  await (await s.agent.startThread(s.threadOptions())).run('go');
  expect('sampling' in answers(s, 1)).toBe(isOn);
  await s.agent.close();
});

test.each([
  ['a message', YES, /^Wall time: .*\nOutput:\n\{"one":\{.*"text":"red"/],
  ['a no', NO, /tool call error: The user does not let this server use the model\.$/],
] as const)('a server of 2026-07-28 asks in its answer, and gets %s', async (given, ask, output) => {
  const server = await startHttpServer();
  onTestFinished(() => server.close());
  makeModern(server);
  const params = { messages: [{ role: 'user', content: { type: 'text', text: 'Name a colour.' } }], maxTokens: 10 };
  server.results['tools/call'] = ({ inputResponses }) =>
    inputResponses === undefined
      ? { resultType: 'input_required', inputRequests: { one: { method: 'sampling/createMessage', params } } }
      : { resultType: 'complete', content: [{ type: 'text', text: JSON.stringify(inputResponses) }] };
  const table: ConfigTable = { url: server.url, default_tools_approval_mode: 'approve' };
  const written = given === 'a message' ? [reply(say('red'))] : [];
  const s = await libraryScene([reply(call('web__echo', {})), ...written, reply(say('done'))], {
    mcp_servers: { web: table },
    ...ON,
  });
  await (await s.agent.startThread(s.threadOptions({ ask }))).run('go');
  expect(s.outputs(written.length + 1).get('call_1')).toMatch(output);
  await s.agent.close();
});

test('exec declines with a reason', async () => {
  const server = mcpTestServer();
  const s = await scene([reply(call('docs__sample', {})), reply(say('done'))]);
  const { code } = await runOxbow(['exec', 'go'], { ...s, config: { mcp_servers: { docs: server.table }, ...ON } });
  expect(code).toBe(0);
  expect(s.outputs(1).get('call_1')).toContain('The user does not let this server use the model: ');
});
