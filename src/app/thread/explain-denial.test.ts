import { expect, test } from 'vitest';
import type { ApprovalPolicy } from '../../base/policy.ts';
import { explainDenial } from './explain-denial.ts';

const sandbox = { mode: 'workspace-write', writableRoots: ['/w'], network: false } as const;
const hint = (approval: ApprovalPolicy, more = {}) =>
  explainDenial({ approval, sandbox: { ...sandbox, ...more } }, () => [])(1, 'touch: Permission denied');

test('the hint says to ask when asking is possible', () => {
  for (const approval of ['untrusted', 'on-failure', 'on-request'] as const) {
    expect(hint(approval)).toContain('The sandbox may have denied this');
    expect(hint(approval)).toContain('require_escalated');
  }
});

test('the hint does not say to ask when asking cannot help', () => {
  const silent = { sandbox: false, rules: true, mcp: true };
  for (const text of [hint('never'), hint(silent), hint('on-request', { denyRead: ['/secret'] })]) {
    expect(text).toMatch(/^The sandbox may have denied this: .*\. Nobody can be asked /);
    expect(text).not.toContain('require_escalated');
  }
});

test('a command that did not fail because of the sandbox has no hint', () => {
  expect(explainDenial({ approval: 'never', sandbox }, () => [])(0, 'Permission denied')).toBeUndefined();
  expect(explainDenial({ approval: 'never', sandbox }, () => [])(1, 'no such file')).toBeUndefined();
});

test('refused hosts are named when they are new or appear in the output', () => {
  const refused: string[] = [];
  const explain = explainDenial({ approval: 'on-request', sandbox }, () => refused);
  refused.push('a.org');
  expect(explain(0, '')).toBeUndefined();
  expect(explain(56, 'CONNECT tunnel failed')).toContain('The sandbox refused connections to a.org.');
  expect(explain(56, 'CONNECT tunnel failed')).toBeUndefined();
  expect(explain(56, 'a.org: CONNECT tunnel failed')).toContain('to a.org.');
  refused.push('b.org');
  expect(explain(56, '')).toContain('to b.org.');
});
