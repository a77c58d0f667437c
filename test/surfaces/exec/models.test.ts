import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createWorkspace } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';

const NOT_A_LIST = /^oxbow: http:\S+\/v1\/models answered with something that is not a list of models\.\n$/;
const KEY = 'sk-very-secret-key';

/** Returns the address of a server that answers every request in one way, and the requests that it got. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

const json =
  (body: unknown, status = 200) =>
  (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

function mine(url: string, more = ''): string {
  return `model_provider = "mine"\nmodel = "own"\n[model_providers.mine]\nbase_url = "${url}"\nenv_key = "MINE_KEY"\n${more}`;
}

async function run(args: readonly string[], toml: string, env: Record<string, string> = { MINE_KEY: KEY }) {
  const workspace = createWorkspace();
  onTestFinished(() => workspace.dispose());
  workspace.configure(toml);
  const result = await runOxbow(args, { workspace, env });
  expect(result.stdout + result.stderr).not.toContain(KEY);
  return result;
}

const LIST = {
  data: [
    { id: 'own', max_model_len: 9 },
    { id: 'anthropic/claude-opus-5.5', context_length: 5 },
    { id: 'listed', context_length: 4096, pricing: { prompt: '0.0000006', completion: '0.0000022' } },
    { id: 'vague', pricing: { prompt: 'free' } },
    { id: 7 },
    'nonsense',
  ],
};
const FACTS =
  '[models."mine/own"]\ncontext_window = 1000\ninput = ["text"]\n[model_prices.own]\ninput = 1\noutput = 2.5\n';

test('oxbow models lists the models of the server, with what the user, the table and the server know', async () => {
  const { url, requests } = await serve(json(LIST));
  const { code, stdout, stderr } = await run(['models'], mine(url, FACTS));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/).join(' | '))).toEqual([
    ' | model | window | output | input | efforts | price',
    ' | anthropic/claude-opus-5.5 | 1,000,000 | 128,000 | text image pdf | low medium high xhigh max | -',
    ' | listed | 4,096 | - | - | - | $0.6 / $2.2',
    '* own | 1,000 | - | text | - | $1 / $2.5',
    ' | vague | - | - | - | - | -',
    '',
  ]);
  expect(requests.map(({ method, url: path }) => `${method} ${path}`)).toEqual(['GET /v1/models']);
  expect(requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
});

const CLAUDE = {
  data: [
    { type: 'model', id: 'claude-new', display_name: 'New', max_input_tokens: 300_000, max_tokens: 40_000 },
    { type: 'model', id: 'claude-haiku-4-5', display_name: 'Haiku 4.5' },
  ],
  has_more: false,
};

test.each(['messages', 'auto'])('lists the models of a server of Messages, with the wire %s', async (wire) => {
  const { url, requests } = await serve((request, response) => {
    const isOwn = request.headers['x-api-key'] === KEY && request.headers['anthropic-version'] !== undefined;
    json(isOwn ? CLAUDE : { type: 'error', error: { message: 'no key' } }, isOwn ? 200 : 401)(request, response);
  });
  const { stdout, stderr } = await run(['models', '--json'], mine(url, `wire_api = "${wire}"\n`));
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual([
    expect.objectContaining({ id: 'claude-haiku-4-5', contextWindow: 200_000, maxOutputTokens: 64_000 }),
    expect.objectContaining({ id: 'claude-new', contextWindow: 200_000, maxOutputTokens: 40_000 }),
  ]);
  expect(requests.at(-1)?.url).toBe('/v1/models?limit=1000');
});

test('lists the models of Ollama', async () => {
  const { url, requests } = await serve((request, response) => {
    const isOwn = request.url === '/api/tags';
    json(isOwn ? { models: [{ name: 'qwen3:8b', model: 'qwen3:8b', size: 1 }] } : {}, isOwn ? 200 : 404)(
      request,
      response,
    );
  });
  const api = url.replace('/v1', '/api');
  const { stdout, stderr } = await run(
    ['models', 'ollama', '--json'],
    `[model_providers.ollama]\nbase_url = "${api}"\n`,
  );
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ id: 'qwen3:8b', contextWindow: 40_960 })]);
  expect(requests).toHaveLength(1);
});

test('--json prints the same for programs, for the provider that is named', async () => {
  const { url } = await serve(json(LIST.data));
  const { stdout } = await run(['models', 'vllm', '--json'], `${FACTS}[model_providers.vllm]\nbase_url = "${url}"\n`);
  expect(JSON.parse(stdout)).toEqual([
    expect.objectContaining({ id: 'anthropic/claude-opus-5.5', contextWindow: 1_000_000, maxOutputTokens: 128_000 }),
    { id: 'listed', contextWindow: 4096, price: { input: 0.6, output: 2.2 } },
    { id: 'own', contextWindow: 9, price: { input: 1, output: 2.5 } },
    { id: 'vague' },
  ]);
});

test('a server that lists no models is told apart from one that fails', async () => {
  const { url } = await serve(json({ data: [] }));
  expect(await run(['models'], mine(url))).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'The server of mine lists no models.\n',
  });
});

test.each([
  ['refuses the key', json({ error: { message: `bad key ${KEY}` } }, 401), /^oxbow: .*401.*bad key \[redacted\]/],
  ['has no list', json({ detail: 'no such path' }, 404), /^oxbow: .*404.*no such path/],
  ['answers with a page', (_: unknown, response: ServerResponse) => response.end('<html>hello'), NOT_A_LIST],
  ['answers with another object', json({ models: [] }), NOT_A_LIST],
  ['hangs up', (request: IncomingMessage) => request.socket.destroy(), /^oxbow: Cannot reach http:\S+\/v1\/models: /],
])('a server that %s is a sentence', async (_what, answer, sentence) => {
  const { url } = await serve(answer);
  const { code, stdout, stderr } = await run(['models'], mine(url));
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(sentence);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('a server that never answers is given up', { timeout: 30_000 }, async () => {
  const { url } = await serve(() => {});
  const { code, stderr } = await run(['models'], mine(url));
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `oxbow: ${url}/models did not list its models within 10 seconds.\n`,
  });
});

test('mistakes are sentences: no server, no key, no such provider, no address, too many words', async () => {
  const nowhere = mine('http://127.0.0.1:9/v1');
  expect((await run(['models'], nowhere)).stderr).toMatch(/^oxbow: Cannot reach .*: connection refused\. Check that/);
  expect((await run(['models'], nowhere, {})).stderr).toBe(
    'oxbow: Missing environment variable: `MINE_KEY`. Set it to the key of mine.\n',
  );
  expect((await run(['models', 'grok'], '')).stderr).toBe(
    'oxbow: There is no provider "grok". Did you mean groq? oxbow providers lists all.\n',
  );
  expect((await run(['models', 'azure'], '')).stderr).toMatch(/has no base_url, as every resource there/);
  expect(await run(['models', 'a', 'b'], '')).toMatchObject({
    code: 2,
    stderr: 'oxbow: oxbow models takes one provider, not 2.\n',
  });
  expect(await run(['models', '--jsn'], '')).toMatchObject({ code: 2 });
});
