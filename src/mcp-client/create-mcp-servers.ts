import { UserError } from '../base/errors.ts';
import type { McpConnection } from '../base/mcp-connection.ts';
import type { McpServerConfig } from '../base/mcp-server-config.ts';
import type { McpServerState } from '../base/mcp-state.ts';
import type { World } from '../base/world.ts';
import { createMcpServer, type McpConnectHooks, type McpServer, within } from './mcp-server.ts';

/** The MCP servers of an agent, which all of its threads share. */
export interface McpServers {
  /** The servers that are enabled, in the order of the configuration. */
  readonly servers: readonly McpServer[];
  /** Starts all servers in the background. Called with each thread; a server that runs stays as it is. */
  start(): void;
  /** Waits for the servers that are required. Throws `UserError` if one of them has failed. */
  requireAll(): Promise<void>;
  /** Waits until every server has started or failed, at most for `graceMs`. */
  settle(graceMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Returns the servers whose tools are offered. A server that starts late comes last, and one that is being restarted
   * keeps its place.
   */
  offered(): readonly McpServer[];
  /** A number that grows with every change of the offered tools. */
  version(): number;
  /** Calls a function with every change of a state. Returns the function that ends it. */
  subscribe(listener: (state: McpServerState) => void): () => void;
  /** Calls a function with every line of a server's log. Returns the function that ends it. */
  followLogs(listener: (line: McpLogLine) => void): () => void;
  /** Ends all servers. */
  close(): Promise<void>;
}

/** A line of the log of a server, or a warning about the server. */
export interface McpLogLine {
  readonly server: string;
  /** Level as the protocol names it. */
  readonly level: string;
  readonly message: string;
}

export interface McpServersOptions {
  readonly servers: readonly McpServerConfig[];
  connect(config: McpServerConfig, hooks: McpConnectHooks): Promise<McpConnection>;
  readonly world: Pick<World, 'monotonic' | 'sleep'>;
}

export function createMcpServers({ servers: configs, connect, world }: McpServersOptions): McpServers {
  const listeners = new Set<(state: McpServerState) => void>();
  const readers = new Set<(line: McpLogLine) => void>();
  /** Servers whose tools were offered, in the order in which they came. */
  const order: McpServer[] = [];
  let version = 0;
  const servers = configs
    .filter(({ enabled }) => enabled)
    .map((config) =>
      createMcpServer({
        config,
        world,
        connect: (hooks) => connect(config, hooks),
        onChange(state) {
          version++;
          for (const listener of [...listeners]) listener(state);
        },
        onLog(level, message) {
          for (const reader of [...readers]) reader({ server: config.name, level, message });
        },
      }),
    );
  return {
    servers,
    start() {
      for (const server of servers) server.start();
    },
    async requireAll() {
      for (const server of servers.filter(({ config }) => config.required)) {
        await server.settled();
        const { status, message } = server.state();
        if (status === 'failed')
          throw new UserError('unavailable', `The MCP server "${server.config.name}" is required: ${message}`);
      }
    },
    async settle(graceMs, signal) {
      if (graceMs > 0) await within(graceMs, Promise.all(servers.map((server) => server.settled())), signal);
    },
    offered() {
      for (const server of servers)
        if (!order.includes(server) && server.state().status === 'ready') order.push(server);
      return order.filter((server) => server.state().status !== 'failed');
    },
    version: () => version,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    followLogs(listener) {
      readers.add(listener);
      return () => readers.delete(listener);
    },
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
