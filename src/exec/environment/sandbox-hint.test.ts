import { describe, expect, test } from 'vitest';
import type { SandboxPolicy } from '../../base/policy.ts';
import { sandboxHint } from './sandbox-hint.ts';

const policy: SandboxPolicy = { mode: 'workspace-write', writableRoots: ['/w', '/tmp'], network: false };

describe('the hint that a sandbox denied something', () => {
  test.each([
    'touch: cannot touch /x: Read-only file system',
    'bash: /x: Permission denied',
    'kill: Operation not permitted',
    'EPERM: operation not permitted, open',
  ])('is shown for "%s", and says where commands can write and how to ask', (output) => {
    const hint = sandboxHint(1, output, policy);
    expect(hint?.denied).toContain('only to /w, /tmp');
    expect(hint?.asking).toContain('"require_escalated"');
  });

  test('is shown for a process that the filter ended', () => {
    expect(sandboxHint(159, '', policy)?.denied).toContain('sandbox');
  });

  test('is shown when there is no network, with the hosts that can be reached', () => {
    const output = 'curl: (6) Could not resolve host: example.org';
    expect(sandboxHint(6, output, policy)?.denied).toContain('no network,');
    const reaching = { ...policy, allowedDomains: ['a.org'] };
    expect(sandboxHint(6, output, reaching)?.denied).toContain('no network but to a.org,');
    expect(sandboxHint(6, output, { ...policy, network: true })).toBeUndefined();
  });

  test('is not shown for success, for other failures, or without a sandbox', () => {
    expect(sandboxHint(0, 'Permission denied', policy)).toBeUndefined();
    for (const code of [1, 2, 126, 127]) expect(sandboxHint(code, 'no such file', policy)).toBeUndefined();
    expect(sandboxHint(1, 'Permission denied', { ...policy, mode: 'danger-full-access' })).toBeUndefined();
  });

  test('works without the policy', () => {
    expect(sandboxHint(1, 'Permission denied')?.denied).toContain('sandbox');
  });
});
