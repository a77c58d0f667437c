import { expect, test } from 'vitest';
import { createOpenFiles } from './open-files.ts';

test('the file that was not written to for the longest time is closed', () => {
  const closed: string[] = [];
  const fileOf = (name: string) => ({ rest: () => void closed.push(name) });
  const [a, b, c, d] = [fileOf('a'), fileOf('b'), fileOf('c'), fileOf('d')];
  const files = createOpenFiles(2);
  files.written(a);
  files.written(b);
  files.written(a);
  expect(closed).toEqual([]);
  files.written(c);
  expect(closed).toEqual(['b']);
  files.closed(c);
  files.written(d);
  expect(closed).toEqual(['b']);
  files.written(b);
  expect(closed).toEqual(['b', 'a']);
});
