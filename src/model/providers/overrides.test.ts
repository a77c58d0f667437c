import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ProviderSettings } from '../../base/provider.ts';
import { DEFAULT_COMPAT } from '../../base/wire.ts';
import { HOSTED, MOVABLE } from './built-in.ts';
import { findProvider } from './index.ts';

const id = fc.constantFrom(...Object.keys({ ...HOSTED, ...MOVABLE }));
const text = fc.stringMatching(/^[a-z]{1,8}$/);
const optional = { requiredKeys: [] };
const overrides: fc.Arbitrary<ProviderSettings> = fc.record(
  {
    name: text,
    wire: fc.constantFrom('auto', 'chat', 'responses'),
    envKey: text,
    requestMaxRetries: fc.nat(100),
    streamIdleTimeoutMs: fc.nat(),
    queryParams: fc.dictionary(text, text),
    headers: fc.dictionary(text, text),
    compat: fc.record(
      {
        sendReasoning: fc.constantFrom('turn', 'all', 'none'),
        callIds: fc.constantFrom('any', 'nine'),
        systemMessages: fc.constantFrom('any', 'one'),
        htmlEntities: fc.boolean(),
      },
      optional,
    ),
  },
  optional,
);
const address = fc.webUrl({ validSchemes: ['http', 'https'] }).map((url) => url.replace(/\/+$/, ''));

test('a setting of the user wins over every entry, and nothing else of the entry changes', () => {
  fc.assert(
    fc.property(id, overrides, (name, user) => {
      const at = MOVABLE[name] && !MOVABLE[name].baseUrl ? { baseUrl: 'https://resource.example/v1' } : {};
      const before = findProvider(name, { [name]: at });
      const after = findProvider(name, { [name]: { ...at, ...user } });
      expect(after).toEqual({
        ...before,
        ...user,
        queryParams: { ...before.queryParams, ...user.queryParams },
        headers: { ...before.headers, ...user.headers },
        compat: { ...before.compat, ...user.compat },
      });
    }),
  );
});

test('a key of a hosted server never goes to an address of the user', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(HOSTED)),
      address,
      overrides,
      (name, baseUrl, { compat: _, ...user }) => {
        const { envKey: __, ...keyless } = user;
        const provider = findProvider(name, { [name]: { ...keyless, baseUrl } });
        expect(provider).not.toHaveProperty('envKey');
        expect(provider.openaiAuth).toBe(false);
        expect(provider.baseUrl).toBe(baseUrl);
        expect(provider.compat).toEqual({ ...DEFAULT_COMPAT, ...HOSTED[name]?.compat });
      },
    ),
  );
});
