import { describe, test } from 'vitest';
import { repairStream } from '../repair/repair-stream.ts';
import { startScriptedModel } from '../testing/index.ts';
import { modelConformance } from '../testing/model/conformance.ts';
import { transportConformance } from '../testing/transport/conformance.ts';
import { loadClientWire, WIRE_NAMES } from '../wire/registry.ts';
import { createFetchHttp } from './fetch-http.ts';
import { createHttp } from './http/create-http.ts';
import type { HttpSender } from './http.ts';
import { testModel } from './test-loopback.ts';

const CARRIERS: Readonly<Record<string, () => HttpSender>> = {
  'our own client': () => createHttp(),
  'the fetch of Node': () => createFetchHttp(fetch),
};

for (const wire of WIRE_NAMES) {
  for (const [carrier, open] of Object.entries(CARRIERS)) {
    describe(`a model on the wire ${wire}, over ${carrier}`, () => {
      const cases = modelConformance(async (answers) => {
        const server = await startScriptedModel(answers);
        const options = { wire: await loadClientWire(wire), repair: async () => repairStream, http: open() };
        return { model: testModel(server.url, {}, options), close: server.close };
      });
      for (const { name, run } of cases) test(name, run);
    });
  }
}

describe('the fetch of Node as a transport', () => {
  for (const { name, run } of transportConformance(() => ({ fetch }))) test(name, run);
});
