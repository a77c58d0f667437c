import { expect, test } from 'vitest';
import { scriptOfOperators } from './argv-operators.ts';

test.each([
  [['echo', 'Hello World', '>', '/tmp/test.txt'], "echo 'Hello World' > /tmp/test.txt"],
  [['ls', '-la', '|', 'wc', '-l'], 'ls -la | wc -l'],
  [['mkdir', 'a', '&&', 'cd', 'a', '||', 'true', ';', 'pwd'], 'mkdir a && cd a || true ; pwd'],
  [['cat', '<', "it's"], `cat < 'it'"'"'s'`],
])('%j becomes a script', (argv, script) => {
  expect(scriptOfOperators(argv)).toBe(script);
});

test.each([
  [['echo', 'a > b']],
  [['echo', '2>&1']],
  [['bash', '-lc', 'echo', '>', 'x']],
  [['/bin/sh', '-c', 'x', ';']],
  [['test', 'a', '>', 'b']],
  [['[', '1', '<', '2', ']']],
  [['expr', '1', '|', '2']],
  [['grep', '|', 'file']],
  [['/usr/bin/find', '.', '-exec', 'ls', '{}', ';']],
  [['awk', ';']],
  [['>', 'file']],
  [[]],
])('%j stays as it is', (argv) => {
  expect(scriptOfOperators(argv)).toBeUndefined();
});
