import type { Tool } from '@modelcontextprotocol/client';
import { isRecord } from '../../base/json-schema.ts';
import type { McpHints, McpPrompt, McpTool } from '../../base/mcp-connection.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import { faultOf } from './fault-of.ts';
import { cancelled, isModern, type Link, request } from './link.ts';

const MOST_PAGES = 100;

/** Returns all tools of a server, in its order. A tool without a name, and the second of a name, is left out. */
export async function listTools(link: Link, signal: AbortSignal): Promise<readonly McpTool[]> {
  if (link.client.getServerCapabilities()?.tools === undefined) return [];
  const entries = isModern(link)
    ? await modernTools(link, signal)
    : await allPages(link, 'tools/list', 'tools', signal);
  const named = entries.filter((entry): entry is Entry & { name: string } => typeof entry.name === 'string');
  const tools = named.filter(({ name }, at) => named.findIndex((other) => other.name === name) === at);
  link.tools.clear();
  for (const tool of tools) link.tools.set(tool.name, tool as unknown as Tool);
  return tools.map(readTool);
}

export async function listPrompts(link: Link, signal: AbortSignal): Promise<readonly McpPrompt[]> {
  if (link.client.getServerCapabilities()?.prompts === undefined) return [];
  return (await allPages(link, 'prompts/list', 'prompts', signal)).flatMap(readPrompt);
}

type Entry = Readonly<Record<string, unknown>>;

/** Returns the tools of a server of 2026-07-28. The SDK leaves out tools that declare headers wrongly, as it must. */
async function modernTools({ sdk, client, server }: Link, signal: AbortSignal): Promise<readonly Entry[]> {
  try {
    const { tools } = await client.listTools(undefined, { signal, cacheMode: 'refresh' });
    return tools as readonly object[] as readonly Entry[];
  } catch (error) {
    throw signal.aborted ? cancelled(server) : faultOf(sdk, server, error);
  }
}

async function allPages(link: Link, method: string, key: string, signal: AbortSignal): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const result = await request(link, method, cursor === undefined ? {} : { cursor }, { signal });
    const items = result[key];
    if (!Array.isArray(items)) throw new McpFault('invalid', `The MCP server "${link.server}" sent no list of ${key}.`);
    entries.push(...items.filter(isRecord));
    const next = result.nextCursor;
    // A server that repeats its cursor would be asked forever.
    if (typeof next !== 'string' || next === cursor) return entries;
    cursor = next;
  }
  throw new McpFault('invalid', `The MCP server "${link.server}" lists its ${key} on more than ${MOST_PAGES} pages.`);
}

function readTool({ name, title, description, inputSchema, annotations }: Entry & { name: string }): McpTool {
  return {
    name,
    title: textOr(null, title),
    description: textOr('', description),
    inputSchema: isRecord(inputSchema) ? inputSchema : { type: 'object' },
    hints: readHints(isRecord(annotations) ? annotations : {}),
  };
}

const HINTS = {
  readOnly: 'readOnlyHint',
  destructive: 'destructiveHint',
  idempotent: 'idempotentHint',
  openWorld: 'openWorldHint',
};

function readHints(annotations: Entry): McpHints {
  const hints = Object.entries(HINTS).map(([name, field]) => [name, annotations[field]] as const);
  return Object.fromEntries(hints.filter(([, hint]) => typeof hint === 'boolean'));
}

function readPrompt({ name, title, description, arguments: given }: Entry): McpPrompt[] {
  if (typeof name !== 'string') return [];
  const fields = Array.isArray(given) ? given.filter(isRecord) : [];
  const inputs = fields.map((field) => ({
    name: textOr('', field.name),
    description: textOr('', field.description),
    required: field.required === true,
  }));
  return [{ name, title: textOr(null, title), description: textOr('', description), arguments: inputs }];
}

const textOr = <T>(other: T, value: unknown): string | T => (typeof value === 'string' ? value : other);
