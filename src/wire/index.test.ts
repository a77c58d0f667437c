import { expect, test } from 'vitest';
import { UserError } from '../base/errors.ts';
import { loadWire, type Wire } from './index.ts';

test('the Responses wire is loaded by its name', async () => {
  const wire = await loadWire('responses');
  expect([wire.name, wire.path]).toEqual(['responses', '/responses']);
});

test.each(['telegraph', 'constructor', ''])(
  'a wire that does not exist (%j) is a mistake with a sentence',
  async (name) => {
    const loading = loadWire(name as Wire['name']);
    await expect(loading).rejects.toThrow(UserError);
    await expect(loading).rejects.toThrow(
      `There is no wire called "${name}". Set the provider's wire to one of: responses.`,
    );
  },
);
