import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMPAT_SETTINGS } from '../../config/tables/compat.ts';
import { REQUEST_COMPAT_SETTINGS } from '../../config/tables/request-compat.ts';
import { HOSTED, MOVABLE, OWN_ADDRESSES } from './built-in.ts';

const code = (text: string) => `\`${text}\``;
const keyOf = new Map(
  Object.entries({ ...COMPAT_SETTINGS, ...REQUEST_COMPAT_SETTINGS }).map(([field, { key }]) => [
    field,
    key.split('.').at(-1) ?? '',
  ]),
);

test('docs/providers.md has a row for each built-in provider, as its entry says', () => {
  const entries = Object.entries({ ...HOSTED, ...MOVABLE }).sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = entries.map(([id, { name, baseUrl, wire, envKey, openaiAuth, compat = {} }]) => {
    const differs = Object.entries(compat).map(([field, value]) =>
      code(`${keyOf.get(field)} = ${JSON.stringify(value)}`),
    );
    const key = envKey ?? (openaiAuth ? 'OPENAI_API_KEY' : undefined);
    const cells = [
      code(id),
      name,
      code(baseUrl ?? OWN_ADDRESSES[id] ?? ''),
      code(wire ?? ''),
      key ? code(key) : 'none',
    ];
    return `| ${[...cells, differs.join(', ')].join(' | ')} |`.replace(/ {2,}/g, ' ');
  });
  const page = readFileSync(join(import.meta.dirname, '../../../docs/providers.md'), 'utf8');
  const table = page.split('\n').filter((line) => line.startsWith('| `'));
  expect(table.slice(0, rows.length)).toEqual(rows);
});
