import { expect, test, vi } from 'vitest';
import { limitResolve } from './resolve-names.ts';

/** A resolver whose answers are given by the test. */
function slowResolve() {
  const asked: { name: string; answer(addresses: string[]): void; fail(): void }[] = [];
  const resolve = (name: string) =>
    new Promise<readonly string[]>((answer, reject) => {
      asked.push({ name, answer, fail: () => reject(new Error('no such host')) });
    });
  return { asked, resolve, names: () => asked.map(({ name }) => name) };
}

test('so many names at once, the others in their turn, also after one that failed', async () => {
  const { asked, resolve, names } = slowResolve();
  const limited = limitResolve(resolve, { timeoutMs: 60_000, atOnce: 2 });
  const answers = ['a', 'b', 'c', 'd'].map((name) => limited(name).catch(() => 'failed'));
  expect(names()).toEqual(['a', 'b']);
  asked[0]?.fail();
  await vi.waitFor(() => expect(names()).toEqual(['a', 'b', 'c']));
  asked[1]?.answer(['1.1.1.1']);
  await vi.waitFor(() => expect(names()).toEqual(['a', 'b', 'c', 'd']));
  asked[2]?.answer(['2.2.2.2']);
  asked[3]?.answer(['3.3.3.3']);
  expect(await Promise.all(answers)).toEqual(['failed', ['1.1.1.1'], ['2.2.2.2'], ['3.3.3.3']]);
});

test('who asks for the same name meanwhile gets the same answer; later it is asked for again', async () => {
  const { asked, resolve, names } = slowResolve();
  const limited = limitResolve(resolve, { timeoutMs: 60_000, atOnce: 2 });
  const both = [limited('a'), limited('a')];
  asked[0]?.answer(['1.1.1.1']);
  expect(await Promise.all(both)).toEqual([['1.1.1.1'], ['1.1.1.1']]);
  void limited('a');
  expect(names()).toEqual(['a', 'a']);
});

test('an answer that does not come is not waited for', async () => {
  const limited = limitResolve(slowResolve().resolve, { timeoutMs: 5, atOnce: 1 });
  await expect(limited('a')).rejects.toThrow('a was not resolved within 0.005 seconds');
});
