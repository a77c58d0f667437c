import { isRecord } from '../../base/json-schema.ts';
import type { McpProgress, McpToolResult } from '../../base/mcp-connection.ts';
import { printable } from '../../text/visible.ts';
import { createOutput } from '../output.ts';
import { UsageError } from '../parse-options.ts';
import { parseVerb } from '../threads/parse-verb.ts';
import { loadServer, SERVER_OPTIONS } from './load-servers.ts';
import { useServer } from './use-server.ts';

const options = {
  json: { type: 'boolean', help: 'Print the whole result as JSON' },
  ...SERVER_OPTIONS,
} as const;

export const help = {
  usage: 'oxbow mcp call NAME TOOL [JSON] [options]',
  about: `Starts an MCP server, or connects to it, and calls one of its tools with the arguments in JSON (default: {}). Prints
the result: texts as they are, everything else as JSON. You are not asked for approval, and questions of the server are
declined.`,
  options,
  example: `oxbow mcp call docs search '{"query": "timeouts"}'`,
  more: { 'Exit codes': ['0  the tool has worked', '1  the tool or the server reports an error', '2  wrong usage'] },
};

/** Longest time of a call with progress, in timeouts of the tool. */
const MOST_TIMEOUTS = 10;

/** Runs `oxbow mcp call`. */
export async function run(argv: readonly string[]): Promise<number> {
  const verb = { command: 'mcp', name: 'call', takes: ['NAME', 'TOOL', 'JSON'], optional: 1, help };
  const read = parseVerb(verb, argv);
  if (!read) return 0;
  const [name = '', tool = '', text = '{}'] = read.words;
  const input = inputIn(text);
  const { config, server } = loadServer(read.values, name);
  return useServer(config, server, async (connection, signal) => {
    const result = await connection.callTool({
      tool,
      input,
      timeoutMs: server.toolTimeoutMs,
      maxTotalMs: server.toolTimeoutMs * MOST_TIMEOUTS,
      meta: {},
      signal,
      onProgress: showProgress,
    });
    const output = createOutput(() => {});
    output.write(read.values.json ? `${JSON.stringify(result, null, 2)}\n` : formatResult(result));
    await output.end();
    return result.isError ? 1 : 0;
  });
}

function inputIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const input: unknown = JSON.parse(text);
    if (isRecord(input)) return input;
  } catch {}
  throw new UsageError(`The arguments of a tool are a JSON object, such as '{"query": "timeouts"}'.`);
}

function showProgress({ progress, total, message }: McpProgress): void {
  const count = total === null ? String(progress) : `${progress}/${total}`;
  process.stderr.write(printable(`${message === null || message === '' ? count : `${message} (${count})`}\n`));
}

/** Returns a result for people. Only a terminal needs texts without control characters. */
function formatResult({ content, structuredContent }: McpToolResult): string {
  const parts = content.map((part) =>
    part.type === 'text' && typeof part.text === 'string' ? part.text : JSON.stringify(part),
  );
  if (parts.length === 0 && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  const text = parts.map((part) => (part.endsWith('\n') ? part : `${part}\n`)).join('');
  return process.stdout.isTTY ? printable(text) : text;
}
