import { expect, test } from 'vitest';
import { environmentContext } from './environment-context.ts';

const date = '2026-11-16';

test('the whole text, in a writable workspace', () => {
  const sandbox = { mode: 'workspace-write', writableRoots: ['/w', '/a&b'], network: false } as const;
  const policy = { approval: 'never', sandbox } as const;
  expect(environmentContext({ cwd: '/w', shell: '/bin/bash', policy, date, timezone: 'Asia/Tokyo' })).toBe(
    `<environment_context>
  <cwd>/w</cwd>
  <shell>bash</shell>
  <current_date>2026-11-16</current_date>
  <timezone>Asia/Tokyo</timezone>
  <approval_policy>never</approval_policy>
  <sandbox_mode>workspace-write</sandbox_mode>
  <network_access>restricted</network_access>
  <writable_roots><root>/w</root><root>/a&amp;b</root></writable_roots>
</environment_context>`,
  );
});

test('full access has the network and no list of roots', () => {
  const sandbox = { mode: 'danger-full-access', writableRoots: ['/w'], network: false } as const;
  const text = environmentContext({
    cwd: '/w',
    shell: 'zsh',
    policy: { approval: 'never', sandbox },
    date,
    timezone: 'UTC',
  });
  expect(text).toContain('<network_access>enabled</network_access>');
  expect(text).not.toContain('writable_roots');
});
