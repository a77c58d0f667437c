import { describe, expect, test } from 'vitest';
import { UserError } from '../base/errors.ts';
import { loadClientWire, loadWire, loadWires, WIRE_NAMES, wiresToTry, withoutWirePath } from './registry.ts';

test('a wire is loaded by its name, as a whole or as a client', async () => {
  expect(await loadWire('chat')).toMatchObject({ name: 'chat', path: '/chat/completions' });
  expect(await loadClientWire('responses')).toMatchObject({ name: 'responses', path: '/responses' });
  expect([...(await loadWires()).keys()]).toEqual(WIRE_NAMES);
});

test.each(['soap', '', 'toString'])('there is no wire called "%s"', async (name) => {
  const loading = loadWire(name);
  await expect(loading).rejects.toThrow(UserError);
  await expect(loading).rejects.toThrow(`There is no wire called "${name}". There are: ${WIRE_NAMES.join(', ')}.`);
  await expect(loadClientWire(name)).rejects.toThrow(UserError);
});

describe('wiresToTry', () => {
  const order = (baseUrl: string, preferred?: string) => wiresToTry({ wire: 'auto', baseUrl }, preferred);

  test('has the wire of the provider alone, unless it is auto', () => {
    expect(wiresToTry({ wire: 'chat', baseUrl: 'http://h/api' }, 'responses')).toEqual(['chat']);
  });

  test('has the wires that stand below any address, with the preferred one first', () => {
    const usual = order('http://h/v1');
    expect(usual.slice(0, 2)).toEqual(['responses', 'chat']);
    expect(usual).not.toContain('ollama');
    expect(order('http://h/v1', 'chat')).toEqual(['chat', ...usual.filter((name) => name !== 'chat')]);
    for (const unknown of ['ollama', 'soap']) expect(order('http://h/v1', unknown)).toEqual(usual);
    for (const other of ['http://h/api/v1', 'http://h', 'http://h/my-api', 'http://h/v1?path=/api'])
      expect(order(other)).toEqual(usual);
  });

  test('begins with the wire that an address names', () => {
    const usual = order('http://h/v1');
    for (const address of ['http://h/api', 'http://h/api/', 'http://h/below/api?key=1'])
      expect(order(address)).toEqual(['ollama', ...usual]);
    expect(order('http://h/api', 'chat')).toEqual(['ollama', 'chat', ...usual.filter((name) => name !== 'chat')]);
  });
});

test.each([
  ['http://h/v1/chat/completions', 'http://h/v1'],
  ['http://h/v1/responses', 'http://h/v1'],
  ['http://h/api/chat', 'http://h/api'],
  ['http://h/v1/chat', 'http://h/v1/chat'],
  ['http://h', 'http://h'],
])('the address %s is that of %s', (address, base) => {
  expect(withoutWirePath(address)).toBe(base);
});
