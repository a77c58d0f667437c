import { resolve } from 'node:path';
import { type Agent, createAgent } from '../../app/agent.ts';
import type { AgentOptions } from '../../app/agent-options.ts';
import type { Worktree } from '../../app/commands/worktree.ts';
import type { Settings } from '../../config/settings.ts';
import { ORIGINS } from '../wording.ts';
import { type ExecValues, readOverrides, withLocalServer } from './exec-task.ts';
import { openWorktree } from './open-worktree.ts';

interface ExecAgent {
  readonly agent: Agent;
  /** Options that the agent was made with. */
  readonly options: AgentOptions;
}

/** Makes the agent of a run. */
export async function createExecAgent(values: ExecValues): Promise<ExecAgent> {
  const bypass = values['dangerously-bypass-approvals-and-sandbox'] || values.yolo;
  const sandbox = bypass ? 'danger-full-access' : values['approve-for-me'] ? 'workspace-write' : values.sandbox;
  const options: AgentOptions = {
    ownProcess: true,
    originator: 'oxbow_exec',
    origins: ORIGINS,
    overrides: readOverrides(values),
    strict: values['strict-config'] ?? false,
    ignoreUserFile: values['ignore-user-config'] ?? false,
    addDirs: (values['add-dir'] ?? []).map((folder) => resolve(values.cd ?? '.', folder)),
    ...(values.debug ? { onLog: (line: string) => process.stderr.write(`${line}\n`) } : {}),
    ...(values.profile === undefined ? {} : { profile: values.profile }),
    ...(values.cd === undefined ? {} : { cwd: values.cd }),
    ...(values.record === undefined ? {} : { record: resolve(values.record) }),
    settings: {
      // Without --ask there is no user to ask.
      ...(values.ask ? {} : { approval_policy: 'never' }),
      ...(values.model === undefined ? {} : { model: values.model }),
      ...(values.account === undefined ? {} : { account: values.account }),
      ...(sandbox === undefined ? {} : { sandbox_mode: sandbox as Settings['sandbox_mode'] }),
      ...(values['ignore-rules'] ? { rules: { ignore: true } } : {}),
    },
  };
  const chosen = values.oss ? await withLocalServer(options, values) : options;
  const agent = createAgent(chosen);
  return { agent: values.ask ? asking(agent, chosen) : agent, options: chosen };
}

/** Makes a worktree, and the agent that works there in place of another. */
export async function moveToWorktree({ agent, options }: ExecAgent, { ask }: ExecValues) {
  const worktree: Worktree = await openWorktree(agent, `${Date.now().toString(36)}-${process.pid}`);
  const there = { ...options, cwd: worktree.cwd };
  const moved = createAgent(there);
  return { agent: ask ? asking(moved, there) : moved, worktree };
}

/** Returns an agent whose policy asks: that of the configuration, or else `on-request`. */
function asking(agent: Agent, options: AgentOptions): Agent {
  const { approval } = agent.config.policy;
  const asks = typeof approval === 'string' ? approval !== 'never' : Object.values(approval).includes(true);
  return asks ? agent : createAgent({ ...options, settings: { ...options.settings, approval_policy: 'on-request' } });
}
