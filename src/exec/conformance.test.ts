import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import type { SandboxPolicy } from '../base/policy.ts';
import { type EnvironmentUnderTest, environmentConformance } from '../testing/environment/conformance.ts';
import { testEnvironment } from './test-environment.ts';

function local(confined: boolean): EnvironmentUnderTest {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-conformance-')));
  const policy: SandboxPolicy = confined
    ? { mode: 'workspace-write', writableRoots: [cwd], network: false }
    : { mode: 'danger-full-access', writableRoots: [], network: true };
  const close = () => rmSync(cwd, { recursive: true, force: true });
  return { environment: testEnvironment(), cwd, policy, terminals: process.platform === 'linux', close };
}

describe('the local environment with full access', () => {
  for (const { name, run } of environmentConformance(() => local(false))) test(name, run);
});

describe.skipIf(!existsSync('/usr/bin/bwrap'))('the local environment in the sandbox', () => {
  for (const { name, run } of environmentConformance(() => local(true))) test(name, run);
});
