import { expect, test } from 'vitest';
import { UserError } from '../base/errors.ts';
import { loadClientWire, loadWire, loadWires, WIRE_NAMES } from './registry.ts';

test('a wire is loaded by its name, as a whole or as a client', async () => {
  expect(await loadWire('chat')).toMatchObject({ name: 'chat', path: '/chat/completions' });
  expect(await loadClientWire('responses')).toMatchObject({ name: 'responses', path: '/responses' });
  expect([...(await loadWires()).keys()]).toEqual(WIRE_NAMES);
});

test.each(['soap', '', 'toString'])('there is no wire called "%s"', async (name) => {
  const loading = loadWire(name);
  await expect(loading).rejects.toThrow(UserError);
  await expect(loading).rejects.toThrow(`There is no wire called "${name}". There are: responses, chat, messages.`);
  await expect(loadClientWire(name)).rejects.toThrow(UserError);
});
