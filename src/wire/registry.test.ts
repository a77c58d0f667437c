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

describe('a server that may speak any wire', () => {
  const toTry = (baseUrl: string, preferred?: string) => wiresToTry({ wire: 'auto', baseUrl }, preferred);

  test('is asked over all wires that stand below any address, the preferred first', () => {
    const names = toTry('http://h/v1');
    expect(names.slice(0, 2)).toEqual(['responses', 'chat']);
    expect(names).not.toContain('ollama');
    expect(toTry('http://h/v1', 'chat')).toEqual(['chat', ...names.filter((name) => name !== 'chat')]);
    expect(toTry('http://h/v1', 'ollama')).toEqual(names);
    expect(toTry('http://h/v1', 'soap')).toEqual(names);
  });

  test.each(['http://h:11434/api', 'http://h/api/', 'https://h/proxy/api?key=x'])(
    'is asked first over the wire that stands below its address: %s',
    (url) => {
      const others = toTry('http://h/v1', 'chat');
      expect(toTry(url, 'chat')).toEqual(['ollama', ...others]);
      expect(toTry(url, 'ollama')).toEqual(['ollama', ...toTry('http://h/v1')]);
    },
  );

  test.each(['https://api', 'https://h/api/v4', 'http://h/my-api', 'https://h/?to=/api'])(
    'is not asked over it elsewhere: %s',
    (url) => {
      expect(toTry(url)).not.toContain('ollama');
    },
  );

  test('is asked over no other wire than the one that is configured', () => {
    expect(wiresToTry({ wire: 'ollama', baseUrl: 'http://h/v1' }, 'chat')).toEqual(['ollama']);
    expect(wiresToTry({ wire: 'chat', baseUrl: 'http://h/api' })).toEqual(['chat']);
  });
});

test.each([
  ['http://h/v1/chat/completions', 'http://h/v1'],
  ['http://h/v1/responses', 'http://h/v1'],
  ['http://h:11434/api/chat', 'http://h:11434/api'],
  ['https://h/chat', 'https://h/chat'],
  ['https://h/v1/chat', 'https://h/v1/chat'],
  ['https://api/chat', 'https://api/chat'],
  ['https://h/v1', 'https://h/v1'],
  ['https://h/v1?x=/api/chat', 'https://h/v1?x=/api/chat'],
])('the path of a wire is removed from %s', (address, base) => {
  expect(withoutWirePath(address)).toBe(base);
});
