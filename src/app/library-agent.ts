import { type AgentOptions, type Agent as CommandAgent, createAgent as createBareAgent } from './agent.ts';
import type { ReplayReport } from './threads/replay.ts';

/**
 * An agent as programs use it, with what the commands of ours have no use for: a replay shares the engine with the agent,
 * and what two parts of a command share is a further file to load.
 */
export interface Agent extends CommandAgent {
  /**
   * Runs a thread again from its log, without network or effects, and says whether that makes the same log. The thread is
   * named by its id, the beginning of that, its name, or the path of its rollout file. Throws `UserError` when there is none.
   */
  replay(thread: string): Promise<ReplayReport>;
}

/** An agent as the configuration describes it. Throws `UserError` when that makes no sense. */
export function createAgent(options: AgentOptions = {}): Agent {
  const { assertOpen, ...agent } = createBareAgent(options);
  return {
    ...agent,
    async replay(thread) {
      assertOpen();
      return (await import('./threads/replay.ts')).replayNamed(thread, agent.store, agent.config.home);
    },
  };
}
