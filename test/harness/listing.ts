import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ScriptedModel } from '../../src/testing/index.ts';

/** Starts a server that lists models and passes all other requests on. `none`: it has no list. */
export async function listing(model: Pick<ScriptedModel, 'url'>, models: readonly string[] | 'none') {
  let lists = 0;
  const server = createServer(async (request, response) => {
    if (request.method === 'GET' && request.url === '/v1/models') {
      lists++;
      response.statusCode = models === 'none' ? 404 : 200;
      response.end(models === 'none' ? '' : JSON.stringify({ data: models.map((id) => ({ id, object: 'model' })) }));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = await fetch(`${model.url}${request.url?.slice('/v1'.length)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.concat(chunks),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, lists: () => lists };
}
