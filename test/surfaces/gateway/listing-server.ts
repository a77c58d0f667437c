import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ScriptedModel } from '../../../src/testing/index.ts';

export interface ListingServer {
  /** Host and port. */
  readonly host: string;
  /** Base URL. */
  readonly url: string;
}

/** Starts a server that lists models and passes all other requests on to the scripted model. It ends with the test. */
export async function startListingServer(
  model: Pick<ScriptedModel, 'url'>,
  names: readonly string[],
): Promise<ListingServer> {
  const server = createServer((request, response) => {
    const list = LISTS[request.url ?? '']?.(names);
    if (list !== undefined) {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(list));
      return;
    }
    const { method, headers } = request;
    const onward = send(new URL(request.url ?? '/', model.url), { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}/v1` };
}

/** Lists of models by their paths. */
const LISTS: Readonly<Record<string, (names: readonly string[]) => object>> = {
  '/v1/models': (names) => ({ object: 'list', data: names.map((id) => ({ id, object: 'model' })) }),
  '/api/tags': (names) => ({ models: names.map((name) => ({ name, model: name })) }),
};
