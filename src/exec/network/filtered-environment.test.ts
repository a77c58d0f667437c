import { existsSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { runScript, type TestEnvironment, testEnvironment } from '../environment/test-environment.ts';

describe.skipIf(!existsSync('/usr/bin/bwrap'))('an environment with allowed domains', () => {
  let environment: TestEnvironment;
  afterEach(() => environment.close());

  test('sets the proxy for commands inside the sandbox alone, in login shells and others', async () => {
    environment = testEnvironment({
      policy: { mode: 'workspace-write', writableRoots: [], network: false, allowedDomains: ['good.test'] },
    });
    const proxyOf = async (login: boolean, sandboxed: boolean) =>
      (await runScript(environment, 'echo "<$https_proxy>"', { login, sandboxed })).text.trim();
    expect(await proxyOf(true, true)).toBe('<http://127.0.0.1:3128>');
    expect(await proxyOf(true, false)).toBe('<>');
    expect(await proxyOf(false, true)).toBe('<http://127.0.0.1:3128>');
    expect(await proxyOf(false, false)).toBe('<>');
  });
});
