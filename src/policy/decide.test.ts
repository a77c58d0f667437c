import { expect, test } from 'vitest';
import type { CommandAction } from '../base/action.ts';
import type { ApprovalPolicy, Decision, SandboxMode } from '../base/policy.ts';
import { decide } from './decide.ts';

const command = (escalate: boolean): CommandAction => ({
  kind: 'command',
  argv: ['true'],
  cwd: '/w',
  login: true,
  escalate,
  yieldMs: 1000,
});

const rows: [SandboxMode, ApprovalPolicy, boolean, Decision['type'], boolean?][] = [
  ['read-only', 'never', false, 'allow', true],
  ['read-only', 'never', true, 'deny'],
  ['read-only', 'on-request', false, 'allow', true],
  ['read-only', 'on-request', true, 'ask'],
  ['workspace-write', 'never', false, 'allow', true],
  ['workspace-write', 'never', true, 'deny'],
  ['workspace-write', 'on-request', false, 'allow', true],
  ['workspace-write', 'on-request', true, 'ask'],
  ['danger-full-access', 'never', false, 'allow', false],
  ['danger-full-access', 'never', true, 'allow', false],
  ['danger-full-access', 'on-request', false, 'allow', false],
  ['danger-full-access', 'on-request', true, 'allow', false],
];

test.each(rows)('%s, %s, escalation %s: %s', (mode, approval, escalate, type, sandboxed) => {
  const decision = decide(command(escalate), { approval, sandbox: { mode, writableRoots: ['/w'], network: false } });
  expect(decision.type).toBe(type);
  if (decision.type === 'allow') expect(decision.sandboxed).toBe(sandboxed);
});

test('input to an approved terminal is part of what was approved', () => {
  const input = { kind: 'terminal_input', terminalId: 1, chars: '', yieldMs: 250 } as const;
  const policy = { approval: 'never', sandbox: { mode: 'read-only', writableRoots: [], network: false } } as const;
  expect(decide(input, policy)).toEqual({ type: 'allow', sandboxed: true });
});
