import { expect, test, vi } from 'vitest';
import { limitResolve } from './resolve-names.ts';

/** Returns a resolver whose answers the test supplies. */
function slowResolve() {
  const asked: { name: string; answer(addresses: string[]): void; fail(): void }[] = [];
  const resolve = (name: string) =>
    new Promise<readonly string[]>((answer, reject) => {
      asked.push({ name, answer, fail: () => reject(new Error('no such host')) });
    });
  return { asked, resolve, names: () => asked.map(({ name }) => name) };
}

test('a limited number of names is looked up at once, the others in turn, even after a failure', async () => {
  const { asked, resolve, names } = slowResolve();
  const limited = limitResolve(resolve, { timeoutMs: 60_000, atOnce: 2 });
  const answers = ['a', 'b', 'c', 'd'].map((name) => limited(name).catch(() => 'failed'));
  expect(names()).toEqual(['a', 'b']);
  asked[0]?.fail();
  await vi.waitFor(() => expect(names()).toEqual(['a', 'b', 'c']), 20_000);
  asked[1]?.answer(['1.1.1.1']);
  await vi.waitFor(() => expect(names()).toEqual(['a', 'b', 'c', 'd']), 20_000);
  asked[2]?.answer(['2.2.2.2']);
  asked[3]?.answer(['3.3.3.3']);
  expect(await Promise.all(answers)).toEqual(['failed', ['1.1.1.1'], ['2.2.2.2'], ['3.3.3.3']]);
});

test('requests for a name share one lookup, and a later request looks it up again', async () => {
  const { asked, resolve, names } = slowResolve();
  const limited = limitResolve(resolve, { timeoutMs: 60_000, atOnce: 2 });
  const both = [limited('a'), limited('a')];
  asked[0]?.answer(['1.1.1.1']);
  expect(await Promise.all(both)).toEqual([['1.1.1.1'], ['1.1.1.1']]);
  const again = limited('a');
  expect(names()).toEqual(['a', 'a']);
  asked[1]?.answer([]);
  await again;
});

test('a lookup without an answer ends after its time', async () => {
  const limited = limitResolve(slowResolve().resolve, { timeoutMs: 5, atOnce: 1 });
  await expect(limited('a')).rejects.toThrow('a was not resolved within 0.005 seconds');
});
