import { expect, test } from 'vitest';
import { call, reply, say, think } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const id = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}${UUID}$`));
const said = (role: string, text: unknown) => ({
  type: 'message',
  id: id('msg_'),
  role,
  content: [{ type: 'input_text', text }],
});

test('the whole body of a request, and what the next one adds to it', async () => {
  const { model, workspace } = await scene([
    reply(think('A plan.', { encrypted: 'blob' }), call('exec_command', { cmd: 'printf hi' })),
    reply(say('done')),
  ]);
  const options = { workspace, model, config: { model_reasoning_effort: 'high' } };
  const { events } = await runOxbow(['exec', '--json', 'hello'], options);
  const threadId = events[0]?.thread_id;
  const [first, second] = model.requests.map(({ body }) => body);

  expect(first).toEqual({
    model: 'scripted',
    instructions: expect.stringMatching(/^You are Oxbow/),
    input: [
      said('developer', expect.stringMatching(/^<permissions instructions>[\s\S]*<\/permissions instructions>$/)),
      said('user', expect.stringMatching(/^<environment_context>[\s\S]*<\/environment_context>$/)),
      said('user', 'hello'),
    ],
    tools: [
      expect.objectContaining({ type: 'function', name: 'exec_command', strict: false }),
      expect.objectContaining({ type: 'function', name: 'write_stdin', strict: false }),
      expect.objectContaining({ type: 'function', name: 'update_plan', strict: false }),
      expect.objectContaining({ type: 'function', name: 'apply_patch', strict: false }),
      expect.objectContaining({ type: 'function', name: 'view_image', strict: false }),
    ],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { effort: 'high', summary: 'auto' },
    store: false,
    stream: true,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: threadId,
    client_metadata: { session_id: threadId, thread_id: threadId, turn_id: expect.stringMatching(`^${UUID}$`) },
  });
  expect(Object.keys(first ?? {})).toEqual([
    ...['model', 'instructions', 'input', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'store'],
    ...['stream', 'include', 'prompt_cache_key', 'client_metadata'],
  ]);
  expect(second).toEqual({
    ...first,
    input: [
      ...(first?.input ?? []),
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'A plan.' }],
        content: null,
        encrypted_content: 'blob',
      },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'exec_command', arguments: '{"cmd":"printf hi"}' },
      {
        type: 'function_call_output',
        id: id('fco_'),
        call_id: 'call_1',
        output: expect.stringMatching(
          /^Chunk ID: [0-9a-f]{6}\nWall time: \d+\.\d{4} seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\nhi$/,
        ),
      },
    ],
  });
});

test('the bytes of one request up to its last item are the beginning of the next', async () => {
  const { model, workspace } = await scene([
    reply(call('exec_command', { cmd: 'printf "äöü\\n\\"x\\""' }), call('no_such_tool', {})),
    reply(call('shell', { command: ['true'] })),
    reply(say('done')),
  ]);
  await runOxbow(['exec', '--json', 'hello'], { workspace, model });
  const bodies = model.requests.map(({ bytes }) => bytes.toString('utf8'));
  expect(bodies).toHaveLength(3);
  for (const [n, body] of bodies.slice(0, -1).entries()) {
    const prefix = body.slice(0, body.lastIndexOf('],"tools":'));
    expect(bodies[n + 1]?.startsWith(`${prefix},`)).toBe(true);
  }
});

test('the headers of a request', async () => {
  const { model, workspace } = await scene([reply(say('done'))]);
  const { events } = await runOxbow(['exec', '--json', 'hello'], {
    workspace,
    model,
    config: {
      model_providers: {
        scripted: { http_headers: { 'X-Own': 'yes' }, env_http_headers: { 'X-Var': 'VAR', 'X-No': 'NO' } },
      },
    },
    env: { VAR: 'value', NO: ' ' },
  });
  const threadId = events[0]?.thread_id;
  expect(model.requests[0]).toMatchObject({ method: 'POST', path: '/v1/responses' });
  expect(model.requests[0]?.headers).toEqual({
    host: expect.stringMatching(/^127\.0\.0\.1:/),
    authorization: 'Bearer scripted-key',
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'accept-encoding': 'identity',
    originator: 'oxbow_exec',
    'user-agent': expect.stringMatching(/^oxbow_exec\/\d+\.\d+\.\d+ \(\S+ \S+; \S+\)$/),
    'session-id': threadId,
    session_id: threadId,
    'thread-id': threadId,
    'x-client-request-id': threadId,
    'openai-beta': 'responses=experimental',
    'x-own': 'yes',
    'x-var': 'value',
    'content-length': String(model.requests[0]?.bytes.length),
    connection: 'keep-alive',
  });
});

test('the originator can be overridden, as programs around Codex do', async () => {
  const { model, workspace } = await scene([reply(say('done'))]);
  await runOxbow(['exec', 'hello'], { workspace, model, env: { CODEX_INTERNAL_ORIGINATOR_OVERRIDE: 'codex_sdk_ts' } });
  expect(model.requests[0]?.headers.originator).toBe('codex_sdk_ts');
});

test("shell is offered with the seeds' five parameters when the config asks for it", async () => {
  const { model, workspace } = await scene([reply(say('done'))]);
  await runOxbow(['exec', '-c', 'tools.command="shell"', 'hello'], { workspace, model });
  const tools = model.requests[0]?.body.tools ?? [];
  expect(tools.map((tool) => 'name' in tool && tool.name)).toEqual([
    ...['shell', 'update_plan', 'apply_patch', 'view_image'],
  ]);
  expect(tools[0]).toMatchObject({
    type: 'function',
    name: 'shell',
    strict: false,
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'array', items: { type: 'string' } },
        workdir: { type: 'string' },
        timeout_ms: { type: 'number' },
        with_escalated_permissions: { type: 'boolean' },
        justification: { type: 'string' },
      },
      required: ['command'],
    },
  });
});

test('base instructions can be the first item instead', async () => {
  const { model, workspace } = await scene([reply(say('done'))]);
  const config = { model_providers: { scripted: { compat: { instructions: 'item', parallel_tool_calls: false } } } };
  await runOxbow(['exec', 'hello'], { workspace, model, config });
  const body = model.requests[0]?.body;
  expect(body).not.toHaveProperty('instructions');
  expect(body?.input?.[0]).toMatchObject({ type: 'message', role: 'developer' });
  expect(body?.parallel_tool_calls).toBe(false);
});
