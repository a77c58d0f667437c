import type { McpConnection, McpHints, McpTool } from '../../base/mcp-connection.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import { printable } from '../../text/visible.ts';
import { createOutput } from '../output.ts';
import { parseVerb } from '../threads/parse-verb.ts';
import { type ListedServer, loadServer, SERVER_OPTIONS } from './load-servers.ts';
import { useServer } from './use-server.ts';

const options = {
  json: { type: 'boolean', help: 'Print a JSON array with the schemas of the tools' },
  ...SERVER_OPTIONS,
} as const;

export const help = {
  usage: 'oxbow mcp tools NAME [options]',
  about: `Starts an MCP server, or connects to it, and lists its tools with their hints. A tool that the settings of the server
leave out is marked as off.`,
  options,
  example: 'oxbow mcp tools docs',
};

/** Runs `oxbow mcp tools`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ command: 'mcp', name: 'tools', takes: ['NAME'], help }, argv);
  if (!read) return 0;
  const [name = ''] = read.words;
  const { config, server } = loadServer(read.values, name);
  return useServer(config, server, async (connection, signal) => {
    const tools = connection.server.has.tools ? await listInTime(connection, server, signal) : [];
    const output = createOutput(() => {});
    if (read.values.json) {
      const list = tools.map((tool) => ({ ...tool, enabled: isOffered(server, tool) }));
      output.write(`${JSON.stringify(list, null, 2)}\n`);
    } else {
      output.write(formatTools(server, tools));
      if (tools.length === 0) process.stderr.write(`The MCP server "${name}" has no tools.\n`);
    }
    await output.end();
    return 0;
  });
}

/** Lists the tools within the time that the server has to start. */
async function listInTime(connection: McpConnection, server: ListedServer, signal: AbortSignal) {
  const late = AbortSignal.timeout(server.startupTimeoutMs);
  try {
    return await connection.listTools(AbortSignal.any([signal, late]));
  } catch (error) {
    if (signal.aborted || !late.aborted) throw error;
    const seconds = server.startupTimeoutMs / 1000;
    const text = `The MCP server "${server.name}" did not list its tools in ${seconds} s. Set startup_timeout_sec to more.`;
    throw new McpFault('timeout', text);
  }
}

function isOffered({ enabledTools, disabledTools }: ListedServer, { name }: McpTool): boolean {
  return (enabledTools === null || enabledTools.includes(name)) && !disabledTools.includes(name);
}

/** Words for the hints of a tool. */
const HINTS: Readonly<Record<keyof McpHints, readonly [yes: string, no: string]>> = {
  readOnly: ['reads only', 'writes'],
  destructive: ['destructive', 'not destructive'],
  idempotent: ['idempotent', 'not idempotent'],
  openWorld: ['open world', 'closed world'],
};

function formatTools(server: ListedServer, tools: readonly McpTool[]): string {
  return tools
    .map((tool) => {
      const hints = (Object.keys(HINTS) as (keyof McpHints)[]).flatMap((hint) => {
        const value = tool.hints[hint];
        return value === undefined ? [] : [HINTS[hint][value ? 0 : 1]];
      });
      const marks = [...(isOffered(server, tool) ? [] : ['off']), ...(hints.length === 0 ? ['no hints'] : hints)];
      const [about = ''] = tool.description.trim().split('\n');
      return printable(`${tool.name} (${marks.join(', ')})\n${about === '' ? '' : `    ${about}\n`}`);
    })
    .join('');
}
