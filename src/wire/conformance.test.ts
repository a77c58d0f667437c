import { describe, expect, test } from 'vitest';
import { CODEC_CASES, type WireFixtures } from './fixtures/conformance.ts';
import { EDGE_CASES } from './fixtures/edge-conformance.ts';
import { loadClientWire, loadWires, WIRE_NAMES, WIRE_PATHS } from './registry.ts';

const wires = await loadWires();

for (const [name, wire] of wires) {
  describe(`the wire ${name}`, async () => {
    const { fixtures }: { fixtures: WireFixtures } = await import(`./${name}/fixtures/conformance.ts`);

    for (const one of [...CODEC_CASES, ...EDGE_CASES]) test(one.name, () => one.check(wire, fixtures));

    test('has the name and the path of its line in the registry, as a whole and as a client', async () => {
      const client = await loadClientWire(name);
      expect([wire.name, wire.path]).toEqual([name, WIRE_PATHS[WIRE_NAMES.indexOf(name)]]);
      expect({ ...wire, ...client }).toEqual(wire);
    });
  });
}

test('no two wires share a route', () => {
  const places = [...wires.values()].flatMap(({ edge }) => edge.routes.map(({ method, path }) => `${method} ${path}`));
  expect(new Set(places).size).toBe(places.length);
});
