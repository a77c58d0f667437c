import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { type CassetteServer, type CassetteServerOptions, startCassetteServer } from './cassette-server.ts';
import { readCassette } from './read-cassette.ts';
import { createWorkspace } from './temp-workspace.ts';

const HEADER = '{"cassette":1,"recorded_at":"2026-01-01T00:00:00.000Z","oxbow":"0.1.0"}';

interface Line {
  readonly type: string;
  readonly [field: string]: unknown;
}

function tape(...exchanges: readonly (readonly Line[])[]): string {
  const lines = exchanges.flatMap((parts, index) =>
    [{ type: 'request', method: 'POST', url: 'https://host/x', headers: {}, body: { model: 'm' } }, ...parts].map(
      (part) => JSON.stringify({ n: index + 1, ...part }),
    ),
  );
  return [HEADER, ...lines].join('\n');
}

const ok = { type: 'response', status: 200, headers: { 'content-type': 'text/event-stream' } };
const chunk = (text: string, ms = 0) => ({ type: 'chunk', ms, text });
const end = (error?: string, ms = 0) => ({ type: 'end', ms, ...(error ? { error } : {}) });
const hello = [ok, chunk('data: hel'), chunk('lo\n'), { type: 'chunk', ms: 0, base64: 'ww==' }, chunk('\n'), end()];

let server: CassetteServer | undefined;

afterEach(() => server?.close());

async function start(source: string, options?: CassetteServerOptions): Promise<CassetteServer> {
  server = await startCassetteServer(source, options);
  return server;
}

function post(path = '/responses', body: unknown = { model: 'm' }): ClientRequest {
  const client = httpRequest(`${server?.url}${path}`, { method: 'POST', agent: false });
  client.on('error', () => {});
  client.end(typeof body === 'string' ? body : JSON.stringify(body));
  return client;
}

interface Received {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly pieces: readonly string[];
  readonly whole: boolean;
}

async function receive(client: ClientRequest): Promise<Received> {
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  const pieces: string[] = [];
  response.on('data', (piece: Buffer) => pieces.push(piece.toString('latin1')));
  response.on('error', () => {});
  await once(response, 'close').catch(() => {});
  return { status: response.statusCode, headers: response.headers, pieces, whole: response.complete };
}

describe('the server', () => {
  test('answers equal requests in their order, in the recorded pieces, on any path', async () => {
    const limited = { type: 'response', status: 429, headers: { 'retry-after': '7', 'content-length': '999' } };
    const { requests, unexpected, mismatches } = await start(tape([limited, chunk('slow down'), end()], hello));
    expect(await receive(post('/chat/completions?x=1'))).toMatchObject({
      status: 429,
      headers: { 'retry-after': '7' },
      pieces: ['slow down'],
      whole: true,
    });
    expect(await receive(post())).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      pieces: ['data: hel', 'lo\n', '\u00c3', '\n'],
      whole: true,
    });
    expect(requests.map(({ path, body }) => [path, body])).toEqual([
      ['/v1/chat/completions?x=1', { model: 'm' }],
      ['/v1/responses', { model: 'm' }],
    ]);
    expect([unexpected, mismatches]).toEqual([[], []]);
  });

  test('refuses requests after the last exchange', async () => {
    const { unexpected } = await start(tape(hello));
    await receive(post());
    const { status, pieces } = await receive(post('/more'));
    expect(status).toBe(400);
    expect(pieces.join('')).toContain('The cassette has responses up to request 1, and this is request 2.');
    expect(unexpected.map(({ path }) => path)).toEqual(['/v1/more']);
  });

  test('refuses requests that were not recorded', async () => {
    const { mismatches, unexpected } = await start(tape(hello));
    const { status, pieces } = await receive(post('/responses', { model: 'other' }));
    const fault =
      'The cassette has no response for request 1. Compared with the next recorded one, the model is "other", it was "m". Record it again.';
    expect(status).toBe(400);
    expect(JSON.parse(pieces.join(''))).toMatchObject({ error: { message: fault } });
    expect([mismatches, unexpected]).toEqual([[fault], []]);
    expect(await receive(post())).toMatchObject({ status: 200 });
  });

  test('compares leniently on request', async () => {
    const asking = (role: string, content: string) => ({ model: 'm', messages: [{ role, content }] });
    const recorded = { type: 'request', method: 'POST', url: '', headers: {}, body: asking('system', 'one') };
    const text = [HEADER, ...[recorded, ...hello].map((part) => JSON.stringify({ n: 1, ...part }))].join('\n');
    await start(text, { match: 'lenient' });
    expect(await receive(post('/responses', asking('user', 'two')))).toMatchObject({ status: 400 });
    expect(await receive(post('/responses', asking('system', 'two')))).toMatchObject({ status: 200 });
  });

  test('answers in order on request, and reports requests that differ', async () => {
    const { mismatches } = await start(tape(hello, hello), { match: 'order' });
    await receive(post('/responses', { model: 'other' }));
    await receive(post('/responses', 'not JSON'));
    expect(mismatches).toEqual([
      'Request 1 is not the recorded one: the model is "other", it was "m".',
      'Request 2 is not the recorded one: the body is another one.',
    ]);
  });

  test('skips pieces that redaction left empty', async () => {
    await start(tape([ok, chunk('a [redacted]'), chunk(''), chunk(' b'), end()]));
    expect(await receive(post())).toMatchObject({ pieces: ['a [redacted]', ' b'], whole: true });
  });

  test('keeps the recorded times on request', async () => {
    await start(tape([ok, chunk('a', 20), chunk('b', 50), end(undefined, 60)]), { speed: 'recorded' });
    const before = performance.now();
    expect(await receive(post())).toMatchObject({ pieces: ['a', 'b'], whole: true });
    expect(performance.now() - before).toBeGreaterThanOrEqual(50);
  });
});

describe('an exchange that ended too early', () => {
  test('in the middle of the body ends there again', async () => {
    await start(tape([ok, chunk('half'), end('connection closed')]));
    expect(await receive(post())).toMatchObject({ status: 200, pieces: ['half'], whole: false });
  });

  test('before there was an answer gets none', async () => {
    await start(tape([end('ECONNREFUSED')]));
    const [error] = await once(post(), 'error');
    expect(error).toMatchObject({ code: 'ECONNRESET' });
  });

  test('by silence is silent until the client gives up', async () => {
    const { requests } = await start(tape([ok, chunk('half'), end('idle timeout')]));
    const client = post();
    const [response] = (await once(client, 'response')) as [IncomingMessage];
    response.on('error', () => {});
    expect(String(await once(response, 'data'))).toBe('half');
    expect(response.complete).toBe(false);
    client.destroy();
    await requests[0]?.ended;
    expect(requests[0]?.aborted).toBe(true);
  });
});

describe('the source', () => {
  test('may be a path, a text or a cassette', async () => {
    const workspace = createWorkspace({ 'hello.jsonl': tape(hello) });
    try {
      const path = workspace.file('hello.jsonl');
      for (const source of [path, tape(hello), await readCassette(path)]) {
        server = await startCassetteServer(source);
        expect((await receive(post())).pieces.join('')).toBe('data: hello\n\u00c3\n');
        await server.close();
      }
    } finally {
      workspace.dispose();
    }
  });

  test('is named when it is invalid', async () => {
    const workspace = createWorkspace({ 'bad.jsonl': `${HEADER}\n{"type":"end","n":1}\n` });
    try {
      const path = workspace.file('bad.jsonl');
      const message = `${path}: Line 2 of the cassette: there is no request 1 before it.`;
      await expect(startCassetteServer(path)).rejects.toThrow(message);
      await expect(readCassette(workspace.file('none.jsonl'))).rejects.toThrow(/none\.jsonl: ENOENT/);
    } finally {
      workspace.dispose();
    }
  });
});

test('closing ends open connections', async () => {
  const { close } = await start(tape([ok, chunk('a'), chunk('b', 600_000), end()]), { speed: 'recorded' });
  const client = post();
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  await once(response, 'data');
  const closed = once(response, 'close').catch(() => {});
  await close();
  await closed;
  await expect(close()).resolves.toBeUndefined();
});
