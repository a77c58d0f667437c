import { UserError } from '../base/errors.ts';
import { type Lazy, lazy } from '../base/lazy.ts';
import type { McpConnection, McpPrompt, McpPromptMessage } from '../base/mcp-connection.ts';
import type { McpServerState } from '../base/mcp-state.ts';
import type { Config } from '../config/load-config.ts';
import type { McpServer } from '../mcp-client/mcp-server.ts';
import type { AgentOptions } from './agent-options.ts';
import { splitMcpServers } from './options/mcp-servers.ts';
import type { AgentMcp } from './servers.ts';
import type { McpParts } from './thread/open-mcp.ts';

/** The MCP servers of an agent, for the embedding program. */
export interface AgentMcpServers {
  /** Returns the state of each server, in the order of the configuration. */
  states(): Promise<readonly McpServerState[]>;
  /** Starts the servers that are not running, and returns their prompts. A server that fails has none. */
  prompts(): Promise<readonly AgentMcpPrompt[]>;
  /**
   * Returns the messages of a prompt with its arguments filled in. Throws `UserError` when there is no such server, or
   * when the server refuses.
   */
  prompt(server: string, name: string, input?: Readonly<Record<string, string>>): Promise<readonly McpPromptMessage[]>;
}

/** A prompt, and the server that has it. */
export interface AgentMcpPrompt extends McpPrompt {
  readonly server: string;
}

/** Returns the servers of an agent for its program. `load` is undefined if there are none. */
export function createAgentMcp(load: Lazy<AgentMcp> | undefined): AgentMcpServers {
  const all = async (): Promise<readonly McpServer[]> => (await load?.())?.servers.servers ?? [];
  return {
    states: async () => (await all()).map((server) => server.state()),
    async prompts() {
      const lists = (await all()).map(async (server) => {
        server.start();
        await server.settled();
        if (!server.facts()?.has.prompts) return [];
        const prompts = await use(server, (connection, signal) => connection.listPrompts(signal)).catch(() => []);
        return prompts.map((prompt) => ({ server: server.config.name, ...prompt }));
      });
      return (await Promise.all(lists)).flat();
    },
    async prompt(name, prompt, input = {}) {
      const server = (await all()).find(({ config }) => config.name === name);
      if (server === undefined) throw new UserError('not_found', `There is no MCP server "${name}".`);
      server.start();
      return use(server, (connection, signal) => connection.getPrompt(prompt, input, signal));
    },
  };
}

/** Uses the connection of a server within its time limit. */
async function use<T>(
  server: McpServer,
  request: (connection: McpConnection, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(server.config.toolTimeoutMs);
  try {
    return await request(await server.connection(signal), signal);
  } catch (error) {
    throw new UserError('unavailable', error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Options of an agent without its MCP servers, and the function that opens these servers. */
interface TakenMcpServers {
  readonly options: AgentOptions;
  /** Returns the servers, whose code is loaded with the first thread. Undefined if there are none. */
  open(config: Config, parts: McpParts): OpenedMcp | undefined;
}

interface OpenedMcp {
  readonly load: Lazy<AgentMcp>;
  close(): Promise<void>;
}

/** Takes the MCP servers out of the options of an agent. */
export function takeMcpServers(given: AgentOptions): TakenMcpServers {
  const { options, objects } = splitMcpServers(given);
  return {
    options,
    open(config, parts) {
      const own = new Set(objects.map(({ name }) => name));
      const configured = config.tools.mcp.servers.filter(({ name, enabled }) => enabled && !own.has(name));
      const { sampling } = config.tools.mcp;
      const servers = [...configured, ...objects.map((object) => ({ ...object, sampling }))];
      if (servers.length === 0) return undefined;
      let opened: Promise<AgentMcp> | undefined;
      const load = lazy(() => {
        opened = import('./thread/open-mcp.ts').then(({ openMcp }) => openMcp(config, servers, parts));
        return opened;
      });
      return { load, close: async () => (await opened)?.servers.close() };
    },
  };
}
