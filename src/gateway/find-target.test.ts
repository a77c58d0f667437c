import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createTargets } from './create-targets.ts';
import { ask, startTestGateway, testOptions } from './test-gateway.ts';

/** Starts a server that lists models and repeats the name of the model that it is asked for. */
async function serverWith(models: readonly string[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const answer =
        request.method === 'GET'
          ? { object: 'list', data: models.map((id) => ({ id })) }
          : {
              id: 'c',
              choices: [
                { index: 0, message: { role: 'assistant', content: JSON.parse(body).model }, finish_reason: 'stop' },
              ],
            };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

async function gatewayFor(models: readonly string[], modelAdvice?: string) {
  const server = await serverWith(models);
  const { targets } = testOptions(server.url, { wire: 'chat' });
  const { provider } = targets.find('alias') ?? {};
  const gateway = await startTestGateway(
    server.url,
    {},
    {
      targets: createTargets({
        facts: {},
        routes: new Map(),
        aliases: new Map(),
        provider,
        fallback: undefined,
        singleCall: false,
      }),
      modelAdvice,
    },
  );
  const say = async (model: string) => {
    const answer = await ask(`${gateway.url}/v1/chat/completions`, {
      model,
      messages: [{ role: 'user', content: 'hi' }],
    });
    const body = JSON.parse(answer.text);
    return answer.status === 200 ? body.choices[0].message.content : `${answer.status} ${body.error.message}`;
  };
  return { ...server, say };
}

test('the only model of a server answers for names that only clients know', async () => {
  const { say, asked } = await gatewayFor(['qwen3', 'text-embedding-nomic-embed-text-v1.5']);
  expect(await say('gpt-5.5')).toBe('qwen3');
  expect(await say('claude-haiku-4-5')).toBe('qwen3');
  expect(await say('other')).toBe('other');
  expect(asked.filter((line) => line === 'GET /v1/models')).toHaveLength(1);
});

test('a server that has the name gets it, and so does one that lists nothing', async () => {
  const has = await gatewayFor(['qwen3', 'gpt-5.5']);
  expect(await has.say('gpt-5.5')).toBe('gpt-5.5');
  const silent = await gatewayFor([]);
  expect(await silent.say('gpt-5.5')).toBe('gpt-5.5');
});

test('several models are listed for the client to choose from', async () => {
  const names = Array.from({ length: 22 }, (_, n) => `m${n}`);
  const { say } = await gatewayFor(names, 'Or with a flag.');
  expect(await say('sonnet[1m]')).toBe(
    `404 The server has no model "sonnet[1m]". It has: ${names.slice(0, 20).join(', ')} and 2 more. Ask for one of them, or set model = "NAME" in [gateway] of config.toml for names like this one. Or with a flag.`,
  );
  expect(await say('m3')).toBe('m3');
});
