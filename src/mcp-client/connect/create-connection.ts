import { isRecord } from '../../base/json-schema.ts';
import type { McpConnection, McpPage, McpPromptMessage, McpServerFacts } from '../../base/mcp-connection.ts';
import { callTool } from './call-tool.ts';
import { type Link, request } from './link.ts';
import { listPrompts, listTools } from './list-all.ts';

/** The end of a connection, as its transport knows it. */
export interface ConnectionEnd {
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

/** Returns the connection of the agent over a connected client. */
export function createConnection(link: Link, { ended, close }: ConnectionEnd): McpConnection {
  const page = async (method: string, { cursor, signal }: McpPage) =>
    await request(link, method, cursor === undefined ? {} : { cursor }, { signal });
  return {
    server: factsOf(link),
    listTools: (signal) => listTools(link, signal),
    callTool: (call) => callTool(link, call),
    listResources: (given) => page('resources/list', given),
    listResourceTemplates: (given) => page('resources/templates/list', given),
    readResource: (uri, signal) => request(link, 'resources/read', { uri }, { signal }),
    listPrompts: (signal) => listPrompts(link, signal),
    async getPrompt(name, input, signal) {
      const { messages } = await request(link, 'prompts/get', { name, arguments: input }, { signal });
      return Array.isArray(messages) ? messages.flatMap(readPromptMessage) : [];
    },
    ended,
    close,
  };
}

function factsOf(link: Link): McpServerFacts {
  const { client } = link;
  const { name = link.server, version = '' } = client.getServerVersion() ?? {};
  const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
  return {
    name,
    version,
    revision: client.getNegotiatedProtocolVersion() ?? '',
    instructions: client.getInstructions() ?? null,
    has: { tools: tools !== undefined, resources: resources !== undefined, prompts: prompts !== undefined },
  };
}

function readPromptMessage(message: unknown): McpPromptMessage[] {
  if (!isRecord(message) || !isRecord(message.content)) return [];
  return [{ role: message.role === 'assistant' ? 'assistant' : 'user', content: message.content }];
}
