import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from './doc-pages.ts';
import { unnamedTypes } from './unnamed-types.ts';

const { exports } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
};
const entries = Object.entries(exports).flatMap(([path, entry]) =>
  typeof entry === 'string' ? [] : [[path.replace('.', 'oxbow'), join(REPOSITORY, entry.types)] as const],
);

/** Types that programs need no name for, and why. */
const HIDDEN = {
  EdgeWire: 'the side of a wire that only a gateway uses',
  Gateway: 'EmbeddedGateway has its members',
  InferType: 'a step of Infer',
  PlainSettings: 'Config has its members',
  RepairContext: 'RepairOptions has the members that programs set',
  SharedByThreads: 'the parameter of a constructor that Codex calls',
  Values: 'WebSearchConfig has its members',
  ValuesOf: 'a step from a table of settings to the type of its values',
};

test.each(entries)('every type that %s reaches can be imported from it', (_, path) => {
  expect(unnamedTypes(path, new Set(Object.keys(HIDDEN)))).toEqual([]);
});
