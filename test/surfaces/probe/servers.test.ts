import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  call,
  createWorkspace,
  fault,
  reply,
  type Script,
  say,
  startScriptedModel,
} from '../../../src/testing/index.ts';
import { readScreen } from '../../harness/read-screen.ts';
import { runOnTerminal } from '../../harness/run-on-terminal.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { MODEL, startQuirky, startServer } from './quirky-server.ts';

const KEY = 'sk-probe-secret-0123456789';

function newWorkspace(config = '') {
  const workspace = createWorkspace({});
  onTestFinished(() => workspace.dispose());
  if (config !== '') workspace.configure(config);
  return workspace;
}

/** Answers the questions of the probe over any wire. */
const careful: Script = ({ body }) => {
  const asked = JSON.stringify(body.input ?? body.messages);
  if (body.model !== 'scripted')
    return fault.status(404, { error: { message: 'no such model', code: 'model_not_found' } });
  if (/function_call_output|"role":"tool"|tool_result/.test(asked)) return reply(say('The sum is 5.'));
  const choice = JSON.stringify(body.tool_choice ?? 'auto');
  if ((body.tools ?? []).length === 0 || /^"none"|"type":"none"/.test(choice)) return reply(say('oxbow pong'));
  if (/twice in one answer/.test(asked))
    return reply(call('add_numbers', { a: 1, b: 2 }), call('add_numbers', { a: 3, b: 4 }));
  if (/add_numbers once/.test(asked)) return reply(call('add_numbers', { a: 2, b: 3, note: 'a & b < c "d"' }));
  if (choice !== '"auto"' && !choice.includes('disable_parallel')) return reply(call('greet_person', { name: 'Ada' }));
  return reply(say('pong'));
};

it('reports nothing about a healthy server of each wire', async () => {
  const workspace = newWorkspace();
  const chat = await startQuirky({});
  const first = await runOxbow(['probe', chat.url, '--json'], { workspace });
  const printed = JSON.parse(first.stdout);
  expect(printed).toMatchObject({ quirks: [], findings: [], wire: 'chat', model: MODEL, modelSource: 'listed' });
  expect(printed.checks.filter(({ status }: { status: string }) => status !== 'ok')).toEqual([]);
  expect(printed.entry).toEqual({ base_url: chat.url, wire_api: 'chat' });
  // One request is the list of models, two the wires that the server lacks.
  expect(printed.requests).toBe(chat.requests.length + 3);
  expect(first.code).toBe(0);

  await using model = await startScriptedModel(careful);
  const second = await runOxbow(['probe', model.url, '-m', 'scripted', '--json'], { workspace });
  const over = JSON.parse(second.stdout);
  expect(over).toMatchObject({ quirks: [], findings: [], wire: 'responses', modelSource: 'given' });
  expect(over.wires.map(({ works }: { works: boolean }) => works)).toEqual([true, true, true]);
  expect(over.checks.filter(({ status }: { status: string }) => status !== 'ok')).toEqual([]);
});

it('learns over the responses wire too', async () => {
  const workspace = newWorkspace();
  await using model = await startScriptedModel((request, n) => {
    const { body } = request;
    if (!('instructions' in body) && !('input' in body)) return fault.status(404, { detail: 'Not Found' });
    if (body.include !== undefined && JSON.stringify(body.include) !== '[]')
      return fault.status(400, {
        error: { message: 'Unknown parameter: include', param: 'include', code: 'unknown_parameter' },
      });
    if (
      /"type":"input_image"/.test(JSON.stringify(body.input)) &&
      /function_call_output/.test(JSON.stringify(body.input))
    )
      if (/"output":\[/.test(JSON.stringify(body.input)))
        return fault.status(400, { error: { message: "Output of tool call should be 'Input text'" } });
    return careful(request, n);
  });
  const { stdout } = await runOxbow(
    ['probe', model.url, '-m', 'scripted', '--json', '-c', 'model_providers.x.base_url="http://127.0.0.1:1"'],
    { workspace },
  );
  const printed = JSON.parse(stdout);
  expect(printed.quirks).toEqual(['G3', 'G8']);
  expect(printed.entry.compat).toEqual({ drop_fields: ['include'], tool_images: 'user' });
});

it('prints tables and an entry to paste, and says first where requests go', async () => {
  const workspace = newWorkspace();
  const server = await startQuirky({
    chunks: (chunks) =>
      JSON.parse(JSON.stringify(chunks).replaceAll('"finish_reason":"tool_calls"', '"finish_reason":"stop"')),
    refuse: (body) =>
      'max_tokens' in body
        ? { message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead." }
        : undefined,
  });
  const { stdout, stderr, code } = await runOxbow(['probe', server.url, '--key-env', 'PROBE_KEY'], {
    workspace,
    env: { PROBE_KEY: KEY },
  });
  const { host } = new URL(server.url);
  expect(stderr).toBe(
    `Sends about 18 small requests to ${host}, with the key from PROBE_KEY, and 54 at most if the server refuses some.\n`,
  );
  expect(stdout).toMatch(/^ok {6}wires {17}chat; chat is used\n/);
  expect(stdout).toMatch(/\nA1 {5}repair {14}the finish signal did not say that tools were called\n/);
  expect(stdout).toMatch(/\nG4 {5}setting max_tokens {2}The server does not take max_tokens/);
  const name = host.replace(/[^0-9]+/g, '-');
  expect(stdout).toContain(`
[model_providers.${name}]
base_url = "${server.url}"
wire_api = "chat"
env_key = "PROBE_KEY"

[model_providers.${name}.compat]
max_tokens = "max_completion_tokens"
`);
  expect(stdout + stderr).not.toContain(KEY);
  expect(code).toBe(0);
});

it('uses the entry of a known address, and changes only its own settings in it', async () => {
  const server = await startQuirky({
    refuse: ({ tool_choice }) =>
      tool_choice === 'required' || typeof tool_choice === 'object'
        ? { message: 'Thinking mode does not support this tool_choice' }
        : undefined,
  });
  const workspace = newWorkspace(`# mine
[model_providers.house] # ours
base_url = "${server.url}"
env_key = "HOUSE_KEY"
http_headers = { "X-Team" = "tools" } # needed
# retries
request_max_retries = 1

[model_providers.house.compat]
text_calls = false # no

[features]
`);
  const { code, stderr } = await runOxbow(['probe', server.url, '--write'], { workspace, env: { HOUSE_KEY: KEY } });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toContain('with the key from HOUSE_KEY');
  expect(stderr).toContain('The provider "house" is now in ');
  expect(readFileSync(join(workspace.home, 'config.toml'), 'utf8')).toBe(`# mine
[model_providers.house] # ours
wire_api = "chat"
base_url = "${server.url}"
env_key = "HOUSE_KEY"
http_headers = { "X-Team" = "tools" } # needed
# retries
request_max_retries = 1

[model_providers.house.compat]
tool_choice = "auto"
text_calls = false # no

[features]
`);
  const other = await startQuirky({});
  const taken = await runOxbow(['probe', other.url, '--write', 'house'], { workspace });
  expect(taken.stderr).toContain('Choose another name');
  expect(taken.code).toBe(2);
});

it('waits for a server that limits its rate', async () => {
  const workspace = newWorkspace();
  let count = 0;
  const server = await startQuirky({
    refuse: () =>
      ++count % 4 === 0 ? { status: 429, message: 'Rate limit reached. Please try again in 50ms.' } : undefined,
  });
  const { stdout, code } = await runOxbow(['probe', server.url, '--json'], { workspace });
  expect(JSON.parse(stdout)).toMatchObject({ quirks: [], findings: [] });
  expect(code).toBe(0);
});

it('uses the wire over which the model calls tools', async () => {
  const workspace = newWorkspace();
  await using model = await startScriptedModel((request, n) => {
    const isFirstWire = request.path.endsWith('/responses');
    return isFirstWire ? reply(say('oxbow pong')) : careful(request, n);
  });
  const { stdout, code } = await runOxbow(['probe', model.url, '-m', 'scripted', '--json'], { workspace });
  const printed = JSON.parse(stdout);
  expect(printed).toMatchObject({ wire: 'chat', callsTools: true, quirks: [] });
  expect(printed.findings).toEqual([
    { quirk: null, what: 'The model calls tools over chat, and not over responses.', handling: 'setting' },
  ]);
  expect(code).toBe(0);
});

it('finds the path that an address lacks', async () => {
  const workspace = newWorkspace();
  const server = await startQuirky({});
  const { stdout, code } = await runOxbow(['probe', server.url.replace('/v1', ''), '-m', MODEL, '--json'], {
    workspace,
  });
  expect(JSON.parse(stdout).entry.base_url).toBe(server.url);
  expect(code).toBe(0);
});

it('says that a model calls no tools, with exit code 3', async () => {
  const workspace = newWorkspace();
  const server = await startQuirky({ answer: () => ({ text: 'oxbow I would rather not.', calls: [] }) });
  const { stdout, code } = await runOxbow(['probe', server.url], { workspace });
  expect(stdout).toContain('The model did not call the tool that it was asked to call.');
  expect(code).toBe(3);
});

const FAULTS: Readonly<Record<string, { serve?: Parameters<typeof startServer>[0]; says: RegExp; most: number }>> = {
  'a server that hangs': { serve: () => {}, says: /no whole answer within 0\.5 s/, most: 3 },
  'a page': {
    serve: (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html><h1>Welcome</h1></html>'),
    says: /text\/html instead of an event stream: .*Welcome.*Check base_url/,
    most: 6,
  },
  'a wrong key': {
    // Some servers repeat the key.
    serve: ({ headers }, response) =>
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { message: `Invalid key ${headers.authorization}` } })),
    says: /401.*Invalid key.*The key came from PROBE_KEY: check it there/,
    // The list of models and a question, with the key in each of two headers.
    most: 4,
  },
  'a wrong path': {
    serve: (_, response) => response.writeHead(404).end(),
    says: /404.*Check base_url/,
    most: 6,
  },
  'a connection that is dropped': {
    serve: (request) => request.socket.destroy(),
    says: /could not be reached|closed the connection|connection/i,
    most: 3,
  },
  'a broken stream': {
    serve: (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"delta":{"content":"po"}}]}\n\n', () => response.destroy());
    },
    says: /disconnected/,
    most: 6,
  },
  'a server that fails': {
    serve: (_, response) => response.writeHead(500).end('{"error":{"message":"out of memory"}}'),
    says: /500.*out of memory/,
    most: 10,
  },
};

it.each(Object.entries(FAULTS))(
  'says what is wrong about %s, with exit code 1',
  async (_, { serve = () => {}, says, most }) => {
    const workspace = newWorkspace();
    let count = 0;
    const url = await startServer((request, response) => {
      count++;
      request.resume().on('end', () => serve(request, response));
    });
    const { stdout, stderr, code } = await runOxbow(
      ['probe', `${url}/v1`, '--timeout', '500ms', '--key-env', 'PROBE_KEY'],
      {
        workspace,
        env: { PROBE_KEY: KEY },
      },
    );
    expect(stderr).toMatch(says);
    expect(stdout).toMatch(/^failed {2}wires /);
    expect(stdout).not.toContain('[model_providers');
    expect(stdout + stderr).not.toContain(KEY);
    expect(count).toBeLessThanOrEqual(most);
    expect(code).toBe(1);
  },
);

it('ends soon when the server stops answering', async () => {
  const workspace = newWorkspace();
  const server = await startQuirky({});
  let count = 0;
  const url = await startServer(async (request, response) => {
    if (++count > 5) return;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'POST', url: path = '' } = request;
    const init = method === 'POST' ? { method, body: Buffer.concat(chunks) } : { method };
    const answer = await fetch(new URL(path, server.url), init);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.text());
  });
  const { stdout, stderr, code } = await runOxbow(['probe', `${url}/v1`, '--timeout', '700ms', '--write'], {
    workspace,
  });
  expect(stderr).toContain('The server stopped answering: The server gave no whole answer within 0.7 s.');
  expect(stderr).not.toContain('is now in');
  expect(stdout).toMatch(/skipped +reasoning/);
  expect({ code, count }).toEqual({ code: 1, count: 7 });
});

it.skipIf(process.platform !== 'linux')('shows the running check on a terminal, and erases it', async () => {
  const workspace = newWorkspace();
  const server = await startQuirky({});
  const run = await runOnTerminal(['probe', server.url, '-m', MODEL], {
    workspace,
    model: server,
    env: { NO_COLOR: '1' },
  });
  const { code, text } = await run.wait();
  expect(text).toContain('3/18 call');
  const rows = await readScreen(text, 80);
  expect(rows.join('\n')).not.toMatch(/\d+\/18 /);
  expect(rows).toContain('ok      wires                 chat; chat is used');
  expect(code).toBe(0);
});

it('explains wrong words', async () => {
  const workspace = newWorkspace();
  const run = (...words: string[]) => runOxbow(['probe', ...words], { workspace });
  expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('takes an address or a provider') });
  expect(await run('nowhere')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Unknown model provider "nowhere"'),
  });
  expect(await run('mistral')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('MISTRAL_API_KEY is not set'),
  });
  expect(await run('http://127.0.0.1:1/v1', 'name')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Unexpected "name"'),
  });
});
