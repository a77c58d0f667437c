import type { CodexMessage } from './codex-message.ts';
import type { UsedThread } from './loaded-threads.ts';
import { threadIds } from './tool-result.ts';

/** Returns the first message of a call, which describes its thread. */
export function sessionConfigured({ thread, agent }: UsedThread): CodexMessage {
  const { config, model, provider } = agent;
  const { sandbox, approval } = config.policy;
  return {
    type: 'session_configured',
    session_id: thread.id,
    thread_id: thread.id,
    ...threadIds(thread.id),
    model,
    model_provider_id: provider.id,
    approval_policy: approval,
    sandbox_policy: sandboxPolicy(sandbox),
    cwd: config.cwd,
    reasoning_effort: config.reasoningEffort,
    history_log_id: 0,
    history_entry_count: 0,
    initial_messages: null,
    rollout_path: thread.path,
  };
}

function sandboxPolicy({ mode, writableRoots, network }: UsedThread['agent']['config']['policy']['sandbox']) {
  if (mode !== 'workspace-write') return { type: mode };
  return { type: mode, writable_roots: writableRoots, network_access: network };
}
