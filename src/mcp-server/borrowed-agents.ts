import { type Agent, createAgent } from '../app/agent.ts';
import type { AgentOptions } from '../app/agent-options.ts';
import { createServers } from '../app/servers.ts';
import { UserError } from '../base/errors.ts';
import type { ThreadParameters } from './read-input.ts';
import { threadAgentOptions } from './thread-agent-options.ts';

/** An agent that threads with the same configuration share. */
export interface BorrowedAgent {
  readonly agent: Agent;
  /** Closes the agent once no other thread uses it. */
  giveBack(): Promise<void>;
}

/** The agents of a server. They share their connections to model servers. */
export interface BorrowedAgents {
  /** Returns the agent for some parameters, as the configuration files are now. Throws `UserError`. */
  borrow(parameters: ThreadParameters): BorrowedAgent;
  close(): Promise<void>;
}

export function createBorrowedAgents(base: AgentOptions): BorrowedAgents {
  const servers = createServers();
  const agents = new Map<string, { readonly agent: Agent; users: number }>();
  let closing: Promise<void> | undefined;
  return {
    borrow(parameters) {
      if (closing !== undefined) throw new UserError('closed', 'The server is stopping.');
      const options = threadAgentOptions(base, parameters);
      const agent = createAgent({ ...options, servers });
      // The providers are hidden from JSON, but a changed provider is another configuration.
      const key = JSON.stringify([options.overrides, options.settings, agent.config, agent.config.modelProviders]);
      const known = agents.get(key);
      const shared = known ?? { agent, users: 0 };
      if (known !== undefined) void agent.close();
      agents.set(key, shared);
      shared.users++;
      return {
        agent: shared.agent,
        async giveBack() {
          shared.users--;
          if (shared.users > 0) return;
          if (agents.get(key) === shared) agents.delete(key);
          await shared.agent.close();
        },
      };
    },
    close() {
      closing ??= (async () => {
        await Promise.allSettled([...agents.values()].map(({ agent }) => agent.close()));
        await servers.close();
      })();
      return closing;
    },
  };
}
