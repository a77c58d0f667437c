import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import type { SandboxPolicy } from '../base/policy.ts';
import { type EnvironmentUnderTest, environmentConformance } from '../testing/environment/conformance.ts';
import { testEnvironment } from './environment/test-environment.ts';

function local(confined: boolean): EnvironmentUnderTest {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-conformance-')));
  const policy: SandboxPolicy = confined
    ? { mode: 'workspace-write', writableRoots: [cwd], network: false }
    : { mode: 'danger-full-access', writableRoots: [], network: true };
  const close = () => rmSync(cwd, { recursive: true, force: true });
  return { environment: testEnvironment(), cwd, policy, terminals: process.platform === 'linux', close };
}

const ENVIRONMENTS = {
  'the local machine with full access': () => local(false),
  'the local machine in the sandbox': () => local(true),
};

for (const [name, make] of Object.entries(ENVIRONMENTS)) {
  describe.skipIf(name.endsWith('sandbox') && !existsSync('/usr/bin/bwrap'))(name, () => {
    for (const { name: promise, run } of environmentConformance(make)) test(promise, run);
  });
}
