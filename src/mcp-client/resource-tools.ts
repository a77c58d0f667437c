import type { McpAction } from '../base/action.ts';
import { messageOf, ToolFailure } from '../base/errors.ts';
import { isRecord, type JsonSchema } from '../base/json-schema.ts';
import type { McpConnection } from '../base/mcp-connection.ts';
import { parseArguments } from '../base/parse-arguments.ts';
import type { Tool } from '../base/tool.ts';
import type { McpServers } from './create-mcp-servers.ts';
import type { McpServer } from './mcp-server.ts';

/** Name that the lists of all servers have in place of the name of a server. */
const ALL = 'oxbow';

interface ResourceTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  run(input: ResourceInput, servers: McpServers, signal: AbortSignal): Promise<unknown>;
}

interface ResourceInput {
  readonly server?: string;
  readonly cursor?: string;
  readonly uri?: string;
}

const SERVER = { type: 'string', description: 'Name of the MCP server. Default: all servers.' } as const;
const CURSOR = { type: 'string', description: 'The nextCursor of an earlier answer of the same server.' } as const;
const LIST = { type: 'object', properties: { server: SERVER, cursor: CURSOR }, additionalProperties: false } as const;

const TOOLS: readonly ResourceTool[] = [
  {
    name: 'list_mcp_resources',
    description:
      'Lists the resources of MCP servers: files, tables and other data that a server offers to read. Prefer them to a search on the web.',
    parameters: LIST,
    run: listOf('resources', (connection) => connection.listResources),
  },
  {
    name: 'list_mcp_resource_templates',
    description: 'Lists the templates of resources of MCP servers: URIs with parameters to fill in.',
    parameters: LIST,
    run: listOf('resourceTemplates', (connection) => connection.listResourceTemplates),
  },
  {
    name: 'read_mcp_resource',
    description: 'Reads one resource of an MCP server by its URI.',
    parameters: {
      type: 'object',
      properties: {
        server: { type: 'string', description: 'Name of the MCP server, as in list_mcp_resources.' },
        uri: { type: 'string', description: 'URI of the resource, as in list_mcp_resources.' },
      },
      required: ['server', 'uri'],
      additionalProperties: false,
    },
    async run({ server = '', uri = '' }, servers, signal) {
      const connection = await serverNamed(servers, server).connection(signal);
      return { server, uri, ...(await connection.readResource(uri, signal)) };
    },
  },
];

/** Returns the tools that list and read the resources of all servers. */
export function createResourceTools(servers: McpServers): readonly Tool[] {
  return TOOLS.map((tool) => {
    const made: Tool<McpAction> = {
      name: tool.name,
      accepts: ['function'],
      spec: {
        type: 'function',
        name: tool.name,
        description: tool.description,
        strict: false,
        parameters: tool.parameters,
      },
      parallel: true,
      async plan(call) {
        const input = parseArguments(call, tool.parameters) as ResourceInput;
        const { server = ALL } = input;
        return { kind: 'mcp', server, tool: tool.name, input, hints: { readOnly: true, destructive: false } };
      },
      async run({ input }, { signal }) {
        try {
          return { output: JSON.stringify(await tool.run(input as ResourceInput, servers, signal)), success: true };
        } catch (error) {
          signal.throwIfAborted();
          throw new ToolFailure('mcp', messageOf(error));
        }
      },
    };
    return made as unknown as Tool;
  });
}

type ListMethod = McpConnection['listResources'];

/** Returns the run of a tool that lists something of one server, a page at a time, or the first pages of all servers. */
function listOf(field: string, methodOf: (connection: McpConnection) => ListMethod): ResourceTool['run'] {
  const page = async (server: McpServer, cursor: string | undefined, signal: AbortSignal) => {
    const connection = await server.connection(signal);
    const answer = await methodOf(connection)({ ...(cursor === undefined ? {} : { cursor }), signal });
    const entries = Array.isArray(answer[field]) ? answer[field].filter(isRecord) : [];
    return { entries: entries.map((entry) => ({ server: server.config.name, ...entry })), next: answer.nextCursor };
  };
  return async ({ server, cursor }, servers, signal) => {
    if (server !== undefined) {
      const { entries, next } = await page(serverNamed(servers, server), cursor, signal);
      return { server, [field]: entries, ...(next === undefined ? {} : { nextCursor: next }) };
    }
    const ready = servers.servers.filter((one) => one.state().status === 'ready' && one.facts()?.has.resources);
    // The list of one server that fails must not hide those of the others.
    const pages = await Promise.all(ready.map((one) => page(one, undefined, signal).catch(() => ({ entries: [] }))));
    return { [field]: pages.flatMap(({ entries }) => entries) };
  };
}

function serverNamed(servers: McpServers, name: string): McpServer {
  const found = servers.servers.find(({ config }) => config.name === name);
  if (found === undefined) throw new ToolFailure('mcp', `unknown MCP server '${name}'`);
  return found;
}
