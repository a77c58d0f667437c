import { expect, test } from 'vitest';
import type { Environment } from '../../base/environment.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import { environmentWithWarmUp } from './warm-up.ts';

const policy: SandboxPolicy = { mode: 'read-only', writableRoots: [], network: false };

test('an environment that is ready only after its turn has ended is not warmed up', async () => {
  const calls: string[] = [];
  const environment = {
    prepare: () => calls.push('prepare'),
    rest: () => calls.push('rest'),
  } as unknown as Environment;
  let ready = (_: Environment): void => {};
  const loading = new Promise<Environment>((resolve) => {
    ready = resolve;
  });
  const counts = { warm: 0, unused: 0 };
  const own = environmentWithWarmUp(() => loading, counts);
  own.prepare(policy);
  own.rest();
  ready(environment);
  await loading;
  await new Promise(setImmediate);
  expect(calls).toEqual([]);
  expect(counts).toEqual({ warm: 0, unused: 1 });
  own.prepare(policy);
  await new Promise(setImmediate);
  expect(calls).toEqual(['prepare']);
});
