import type { Tool, ToolCall } from '../base/tool.ts';
import type { McpServers } from './create-mcp-servers.ts';
import type { McpServer } from './mcp-server.ts';
import { createMcpTool, type KeyOf } from './mcp-tool.ts';
import { createResourceTools } from './resource-tools.ts';
import { createMcpToolNames, safeForm } from './tool-names.ts';

/** The tools of all MCP servers of an agent, for one thread. */
export interface McpTools {
  /** Returns the tools at this moment. The array stays the same as long as the tools do. */
  tools(): readonly Tool[];
  /** Returns the tool that a call means under another name than that which was offered. */
  find(call: Pick<ToolCall, 'name' | 'namespace'>): Tool | undefined;
}

export interface McpToolsOptions {
  /** Reports whether another tool of the thread has a name. */
  isTaken(name: string): boolean;
  readonly keyOf: KeyOf;
}

export function createMcpTools(servers: McpServers, { isTaken, keyOf }: McpToolsOptions): McpTools {
  const names = createMcpToolNames(servers.servers.map(({ config }) => config.name));
  const resourceTools = createResourceTools(servers).filter(({ name }) => !isTaken(name));
  const made = new Map<McpServer, MadeTools>();
  /** Servers whose tools are in the list, in the order of the list, and the tools for resources. */
  const order: (McpServer | 'resources')[] = [];
  let version = -1;
  let all: readonly Tool[] = [];

  function toolsOf(server: McpServer): MadeTools {
    const listed = server.tools();
    const known = made.get(server);
    if (known?.listed === listed) return known;
    const named = names.namesOf(
      server.config.name,
      listed.map(({ name }) => name),
      isTaken,
    );
    const byName = new Map(
      listed.map((tool) => [
        tool.name,
        createMcpTool(server, tool, named.get(tool.name) ?? { name: tool.name }, keyOf),
      ]),
    );
    const entry = { listed, byName };
    made.set(server, entry);
    return entry;
  }

  function tools(): readonly Tool[] {
    if (version === servers.version()) return all;
    version = servers.version();
    const offered = servers.offered();
    for (const server of offered) {
      if (!order.includes(server)) order.push(server);
      if (server.facts()?.has.resources && !order.includes('resources')) order.push('resources');
    }
    const now = order.flatMap((entry) => {
      if (entry === 'resources') return resourceTools;
      return offered.includes(entry) ? [...toolsOf(entry).byName.values()] : [];
    });
    if (now.length !== all.length || now.some((tool, at) => tool !== all[at])) all = now;
    return all;
  }

  return {
    tools,
    find(call) {
      tools();
      for (const { server, tool } of names.meaningsOf(call)) {
        const entry = [...made].find(([{ config }]) => config.name === server)?.[1];
        const found = entry?.byName.get(tool) ?? bySafeForm(entry, tool);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

interface MadeTools {
  /** The list of the server that the tools were made from. */
  readonly listed: readonly unknown[];
  readonly byName: ReadonlyMap<string, Tool>;
}

function bySafeForm(entry: MadeTools | undefined, tool: string): Tool | undefined {
  return [...(entry?.byName ?? [])].find(([name]) => safeForm(name) === tool)?.[1];
}
