// Tests of the parts in this folder, with the suites of the library: node examples/programs/conformance.mjs
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { storeConformance, transportConformance } from 'oxbow/testing';
import { fetchThroughProxy } from './parts/fetch-through-proxy.mjs';
import { storeOf } from './parts/json-file-store.mjs';
import { openThreadsFile } from './parts/threads-file.mjs';

const stores = storeConformance(() => {
  const folder = mkdtempSync(join(tmpdir(), 'parts-'));
  const file = openThreadsFile(join(folder, 'threads.jsonl'));
  return {
    open: () => storeOf(file),
    expire: (id) => void file.owners.delete(id),
    close: () => rmSync(folder, { recursive: true }),
  };
});

/** A proxy that passes everything on. */
const proxy = createServer((incoming, response) => {
  const { method, url = '', headers } = incoming;
  const outgoing = request(url, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    answer.once('error', () => response.destroy());
  });
  outgoing.once('error', () => response.destroy());
  response.once('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}).listen(0, '127.0.0.1');
await once(proxy, 'listening');
const address = proxy.address();
const port = typeof address === 'object' ? address?.port : undefined;
const transports = transportConformance(() => ({ fetch: fetchThroughProxy(`http://127.0.0.1:${port}`) }));

for (const { name, run } of [...stores, ...transports]) test(name, run);
after(() => proxy.close());
