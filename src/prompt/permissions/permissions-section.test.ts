import { describe, expect, test } from 'vitest';
import type { PatchAction } from '../../base/action.ts';
import type { ApprovalPolicy, Decision, Policy, SandboxMode, SandboxPolicy } from '../../base/policy.ts';
import { decideCommand } from '../../policy/decide-command.ts';
import { decidePatch } from '../../policy/decide-patch.ts';
import { execCommandFacts } from '../../tools/exec-command/facts.ts';
import { localShellFacts } from '../../tools/local-shell/facts.ts';
import { shellFacts } from '../../tools/shell/facts.ts';
import { shellCommandFacts } from '../../tools/shell-command/facts.ts';
import { unifiedExecFacts } from '../../tools/unified-exec/facts.ts';
import { findEscalation } from './escalation.ts';
import { permissionsSection } from './permissions-section.ts';

const sandboxOf = (mode: SandboxMode, more: Partial<SandboxPolicy> = {}): SandboxPolicy => ({
  mode,
  writableRoots: ['/w', '/tmp'],
  network: false,
  ...more,
});

function told(
  approval: ApprovalPolicy,
  sandbox: SandboxPolicy,
  more: Partial<Parameters<typeof permissionsSection>[1]> = {},
) {
  return permissionsSection(
    { approval, sandbox },
    { escalation: findEscalation([execCommandFacts.spec]), canAsk: true, ...more },
  );
}

describe('the sandbox', () => {
  test('writable folders and network, by mode', () => {
    const inWorkspace = told('on-request', sandboxOf('workspace-write'));
    expect(inWorkspace).toMatch(/^<permissions instructions>\nCommands run in a sandbox \(`workspace-write`\)/);
    expect(inWorkspace).toContain(
      'change them only below `/w`, `/tmp`. In there `.git`, `.agents`, `.codex`, `.oxbow`',
    );
    expect(inWorkspace).toContain('Commands have no network');
    const readOnly = told('on-request', sandboxOf('read-only'));
    expect(readOnly).toContain('`read-only`');
    expect(readOnly).not.toContain('/w');
    const full = told('on-request', sandboxOf('danger-full-access'));
    expect(full).toContain('There is no sandbox (`danger-full-access`)');
    expect(full).not.toContain('no network');
  });

  test('the network, some hosts, and unreadable files', () => {
    expect(told('never', sandboxOf('workspace-write', { network: true }))).toContain('Commands can reach the network.');
    const some = sandboxOf('workspace-write', { allowedDomains: ['*.example.org', '!evil.example.org'] });
    expect(told('never', some)).toContain('only these hosts: `*.example.org`, but not `evil.example.org`.');
    const secret = sandboxOf('read-only', { denyRead: ['/secret'] });
    expect(told('on-request', secret)).toContain('These may not even be read: `/secret`.');
  });
});

describe('how to ask', () => {
  const confined = sandboxOf('workspace-write');
  const asks = (specs: Parameters<typeof findEscalation>[0]) =>
    told('on-request', confined, { escalation: findEscalation(specs) });

  test('by the parameters that the tool for commands has', () => {
    for (const { spec } of [execCommandFacts, shellCommandFacts]) {
      expect(asks([spec])).toContain('`sandbox_permissions` set to `"require_escalated"` and a `justification`');
      expect(asks([spec])).toContain('`prefix_rule` may name');
    }
    expect(asks([shellFacts.spec])).toContain('`with_escalated_permissions` set to `true` and a `justification`');
    expect(asks([shellFacts.spec])).not.toContain('prefix_rule');
    for (const { spec } of [localShellFacts, unifiedExecFacts]) {
      expect(asks([spec])).toContain('The tools have no way to ask');
      expect(asks([spec])).not.toContain('justification');
    }
  });

  test('a missing user is mentioned, unless the policy never asks', () => {
    expect(told('on-request', confined, { canAsk: false })).toContain('nobody is there to be asked');
    expect(told('never', confined, { canAsk: false })).not.toContain('nobody is there to be asked');
  });
});

const GRANULAR = [true, false].flatMap((sandbox) =>
  [true, false].flatMap((rules) => [true, false].map((mcp) => ({ sandbox, rules, mcp }))),
);
const APPROVALS: readonly ApprovalPolicy[] = ['untrusted', 'on-failure', 'on-request', 'never', ...GRANULAR];
const SANDBOXES = (['read-only', 'workspace-write', 'danger-full-access'] as const).flatMap((mode) => [
  sandboxOf(mode),
  sandboxOf(mode, { denyRead: ['/secret'] }),
]);

describe.each(APPROVALS.flatMap((approval) => SANDBOXES.map((sandbox) => ({ approval, sandbox }))))(
  'the text about $approval in $sandbox.mode agrees with the decisions',
  ({ approval, sandbox }) => {
    const policy: Policy = { approval, sandbox, destructivePatches: 'ask' };
    const text = permissionsSection(policy, { escalation: findEscalation([execCommandFacts.spec]), canAsk: true });
    const confined = sandbox.mode !== 'danger-full-access';
    const command = (known: object, escalate = false): Decision =>
      decideCommand({ kind: 'command', argv: ['x'], cwd: '/w', login: true, yieldMs: 1, escalate }, policy, {
        readOnly: false,
        allowed: false,
        ...known,
      });
    const patch = (destroys: boolean, outside: readonly string[]): Decision => {
      const change = { type: 'update', path: '/w/f', destroys, shown: 'f', before: 'a', after: 'b' } as const;
      const action: PatchAction = { kind: 'patch', changes: [change], escalate: false };
      return decidePatch(action, policy, { outside, unreadable: [] });
    };
    /** The sentence about questions, and the one about refusals. */
    const asked = /The user is asked about ([^:]*): just/.exec(text)?.[1] ?? '';
    const refused = /(?:is refused|without a question are):? ([^.]*)\./.exec(text)?.[1] ?? '';
    const expectSaid = (what: string, { type }: Decision) => {
      // A policy that asks about everything has no list of single questions.
      if (approval === 'untrusted') expect(type).toBe('ask');
      else
        expect({ asked: asked.includes(what), refused: refused.includes(what) }).toEqual({
          asked: type === 'ask',
          refused: type === 'deny',
        });
    };

    test('leaving the sandbox', () => {
      const { type } = command({}, true);
      if (!confined) expect(text).toContain('has no use');
      else if (type === 'ask') expect(text).toContain('To run a command outside of the sandbox, call the tool with');
      else expect(text).toContain('is refused, so leave that parameter out.');
      expect(text.includes('`prefix_rule`')).toBe(confined && type === 'ask');
    });

    test('questions that come by themselves', () => {
      expectSaid('commands that could destroy something', command({ danger: 'd' }));
      expectSaid('commands that a rule', command({ rule: { pattern: ['x'], decision: 'prompt' } }));
      expectSaid('patches that delete or overwrite what git could not', patch(true, []));
      if (confined) expectSaid('patches that the sandbox does not let through', patch(false, ['/etc/f']));
      expect(command({}).type).toBe(approval === 'untrusted' ? 'ask' : 'allow');
      expect(patch(false, []).type).toBe(approval === 'untrusted' ? 'ask' : 'allow');
      expect(command({ readOnly: true }).type).toBe('allow');
    });

    test('running a command again outside', () => {
      const decision = command({ readOnly: true });
      const again = decision.type === 'allow' && decision.askAgain === true;
      expect(text.includes('whether to repeat it outside')).toBe(again);
    });
  },
);
