import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRecord } from '../../../../src/base/json-schema.ts';
import { PATHS, requestFor } from '../../../../src/gateway/test-answer.ts';
import { ask, startTestGateway } from '../../../../src/gateway/test-gateway.ts';
import { runs } from '../../../harness/runs.ts';
import { callAnswer } from './call-answer.ts';
import { eventually } from './eventually.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { judgeAnswer } from './judge-answer.ts';
import { type ServerExchange, startModelServer } from './model-server.ts';
import { PAIRS, type WireName } from './pairs.ts';

const SERVERS: readonly (readonly [path: string, wire: WireName])[] = [
  ['/responses', 'responses'],
  ['/chat/completions', 'chat'],
  ['/messages', 'messages'],
];

/** Answers every request, in the form that it asks for. */
function answerAll({ body, path, response }: ServerExchange): void {
  const server = SERVERS.find(([end]) => path.endsWith(end))?.[1] ?? 'ollama';
  const asked = (JSON.parse(body) as { stream?: unknown }).stream;
  const stream = server === 'ollama' ? asked !== false : asked === true;
  const { type, bytes } = callAnswer({ client: server, server, stream });
  response.writeHead(200, { 'content-type': type });
  response.end(bytes);
}

/** Names of request fields, and some unknown ones. */
const NAMES = [
  ...'model messages input instructions tools tool_choice stream stream_options parallel_tool_calls reasoning'.split(
    ' ',
  ),
  ...'temperature max_tokens max_output_tokens max_completion_tokens response_format text store include'.split(' '),
  ...'previous_response_id metadata n stop user seed truncation role content type name arguments call_id'.split(' '),
  ...'function parameters tool_calls tool_call_id output summary encrypted_content id format __proto__'.split(' '),
];

const word = fc.constantFrom(
  ...'chat responses system user assistant tool developer function function_call function_call_output'.split(' '),
  ...'message reasoning custom namespace auto required none text input_text output_text image_url json_schema'.split(
    ' ',
  ),
);

const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e308, '', '{}', '{"a":', '\u0000', '\ud800'),
    word,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 5 }),
  ),
}));

/** Returns a valid request with some of its fields replaced, or any value. */
const anyRequest = (client: WireName, model: string) =>
  fc
    .tuple(
      fc.dictionary(fc.constantFrom(...NAMES), anyValue, { maxKeys: 5 }),
      fc.boolean(),
      fc.integer({ min: 0, max: 9 }),
    )
    .map(([fields, stream, chance]) => {
      const base = requestFor(client, { model, stream });
      return chance === 0 ? fields : { ...base, ...fields, ...(chance > 1 && { model }) };
    });

/** Asserts that the answer has the client's shape, or is an error in OpenAI's. */
function assertAnswered(client: WireName, request: object, answer: Awaited<ReturnType<typeof ask>>): void {
  const asked = isRecord(request) ? request.stream : undefined;
  const stream = client === 'ollama' ? asked !== false : asked === true;
  const { end, code } = judgeAnswer({ client, stream }, answer);
  expect(code).not.toBe('internal_error');
  if (end === 'refused') expect(answer.status).toBeGreaterThanOrEqual(400);
}

describe('any request of a client', () => {
  const pairs = PAIRS.filter(({ stream }) => stream);

  test.each(pairs)('gets an answer ($client from $server)', async ({ client, server: wire }) => {
    const server = await startModelServer(answerAll);
    const { url, reports } = await startTestGateway(server.url, { wire });
    let asked = 0;
    const property = fc.asyncProperty(anyRequest(client, 'alias'), async (request) => {
      asked++;
      assertAnswered(client, request, await ask(`${url}${PATHS[client]}`, request));
    });
    await fc.assert(property, { numRuns: runs(250) });
    await eventually(() => reports.length).toBe(asked);
  });

  test('the program keeps running', async () => {
    const server = await startModelServer(answerAll);
    const gateway = await startGatewayProcess({ server: server.url });
    const requests = pairs.flatMap(({ client, server: wire }) =>
      fc.sample(anyRequest(client, wire), 100).map((request) => ({ client, request })),
    );
    for (let n = 0; n < requests.length; n += 20) {
      await Promise.all(
        requests.slice(n, n + 20).map(async ({ client, request }) => {
          assertAnswered(client, request, await ask(`${gateway.url}${PATHS[client]}`, request));
        }),
      );
    }
    const bytes = fc.sample(fc.uint8Array({ maxLength: 200 }), 100).map((body) => Buffer.from(body).toString('latin1'));
    for (const body of bytes) {
      const answer = await ask(`${gateway.url}${PATHS.chat}`, body, { method: 'POST' });
      expect(judgeAnswer({ client: 'chat', stream: false }, answer).end).toBe('refused');
    }
    await eventually(() => gateway.exchanges().length).toBe(requests.length + bytes.length);
    expect(await gateway.active()).toBe(0);
    await gateway.stop();
  });
});
