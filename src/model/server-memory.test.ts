import { expect, test } from 'vitest';
import { findProvider } from './providers/index.ts';
import { createServerMemory } from './server-memory.ts';

const provider = findProvider('test', { test: { baseUrl: 'http://127.0.0.1:1/v1' } });
const target = { provider, model: 'm' };

test('a lesson changes the settings for its model, and is listed once', () => {
  const memory = createServerMemory();
  const lesson = { patch: { dropFields: ['include'] }, reason: 'The server does not take include.' };
  const { compat } = memory.of(target);
  expect(compat).toBe(provider.compat);
  memory.of(target).learn(lesson);
  memory.of(target).learn({ ...lesson });
  expect(memory.of(target)).toMatchObject({ compat: { ...compat, dropFields: ['include'] }, lessons: [lesson] });
  expect(memory.of({ provider, model: 'other' })).toMatchObject({ compat, lessons: [] });
});

test('a wire that a server lacks is not tried, whichever is wanted', () => {
  const memory = createServerMemory();
  const [first, ...others] = memory.wiresOf(provider, 'chat');
  expect(first).toBe('chat');
  expect(others).toContain('responses');
  memory.lacks(provider, 'responses');
  expect(memory.wiresOf(provider, 'responses')).not.toContain('responses');
  expect(memory.wiresOf({ ...provider, baseUrl: 'http://127.0.0.1:2/v1' }, 'responses')[0]).toBe('responses');
  expect(memory.wiresOf({ ...provider, wire: 'responses' }, 'chat')).toEqual(['responses']);
});

test('a wire that stands below the address of a server is tried first, until the server turns out to lack it', () => {
  const memory = createServerMemory();
  const own = { ...provider, baseUrl: 'http://127.0.0.1:1/api' };
  expect(memory.wiresOf(own, 'chat').slice(0, 2)).toEqual(['ollama', 'chat']);
  memory.lacks(own, 'ollama');
  expect(memory.wiresOf(own, 'chat')[0]).toBe('chat');
});

test('memory is bounded for any number of names, and models in use are kept', () => {
  const memory = createServerMemory();
  memory.of(target).learn({ patch: { maxStops: 1 }, reason: 'r' });
  memory.of({ provider, model: 'unused' }).learn({ patch: { maxStops: 1 }, reason: 'r' });
  for (let n = 0; n < 2000; n++) {
    memory.of({ provider, model: `model-${n}` });
    memory.of(target);
  }
  expect(memory.of(target).lessons).toHaveLength(1);
  expect(memory.of({ provider, model: 'unused' }).lessons).toHaveLength(0);
});
