import type { Policy } from '../base/policy.ts';

export interface Surroundings {
  readonly cwd: string;
  readonly shell: string;
  readonly policy: Policy;
  /** The day where the user is, as 2026-11-15. */
  readonly date: string;
  readonly timezone: string;
}

/** What the model is told about where it works. Sent again only when it has changed. */
export function environmentContext({ cwd, shell, policy, date, timezone }: Surroundings): string {
  const { sandbox, approval } = policy;
  const roots = sandbox.mode === 'workspace-write' ? sandbox.writableRoots : [];
  return [
    '<environment_context>',
    `  <cwd>${escapeXml(cwd)}</cwd>`,
    `  <shell>${escapeXml(shell.split('/').at(-1) ?? shell)}</shell>`,
    `  <current_date>${date}</current_date>`,
    `  <timezone>${timezone}</timezone>`,
    `  <approval_policy>${typeof approval === 'string' ? approval : 'granular'}</approval_policy>`,
    `  <sandbox_mode>${sandbox.mode}</sandbox_mode>`,
    `  <network_access>${sandbox.network || sandbox.mode === 'danger-full-access' ? 'enabled' : 'restricted'}</network_access>`,
    ...(roots.length === 0
      ? []
      : [`  <writable_roots>${roots.map((root) => `<root>${escapeXml(root)}</root>`).join('')}</writable_roots>`]),
    '</environment_context>',
  ].join('\n');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
