import type { Agent } from '../../app/agent.ts';
import type { ApprovalPolicy, SandboxPolicy } from '../../base/policy.ts';
import { printable } from '../../text/visible.ts';
import type { Style } from '../print/style.ts';

/** Returns the lines before the first turn. Their labels are those of Codex, because scripts look for them. */
export function banner({ config, provider }: Agent, model: string, threadId: string, { bold, dim }: Style): string {
  const rows = {
    workdir: printable(config.cwd),
    model: printable(`${model} (${provider.name})`),
    'reasoning effort': printable(config.reasoningEffort ?? 'default'),
    approval: approvalText(config.policy.approval),
    sandbox: printable(sandboxText(config.policy.sandbox, config.cwd)),
    'session id': threadId,
  };
  const lines = Object.entries(rows).map(([name, value]) => `${dim(`${name}:`)} ${value}\n`);
  return `${bold(`oxbow ${OXBOW_VERSION}`)}\n${lines.join('')}`;
}

function approvalText(approval: ApprovalPolicy): string {
  return typeof approval === 'string' ? approval : 'granular';
}

function sandboxText({ mode, writableRoots, network, allowedDomains = [] }: SandboxPolicy, cwd: string): string {
  if (mode === 'danger-full-access') return mode;
  const roots = writableRoots.map((root) => (root === cwd ? 'workdir' : root));
  const writable = mode === 'workspace-write' ? ` [${roots.join(', ')}]` : '';
  const hosts = allowedDomains.length === 0 ? 'no network' : `network: ${allowedDomains.join(', ')}`;
  return `${mode}${writable} (${network ? 'network access enabled' : hosts})`;
}
