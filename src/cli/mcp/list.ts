import { printable } from '../../text/visible.ts';
import { createOutput } from '../output.ts';
import { parseVerb } from '../threads/parse-verb.ts';
import { AUTH_WORDS, authStatus } from './auth-status.ts';
import { type ListedServer, loadServers, SERVER_OPTIONS, sourcesOf } from './load-servers.ts';
import { serverJson, timeoutsFrom } from './server-json.ts';
import { listText, valuesText } from './server-text.ts';

const options = {
  json: { type: 'boolean', help: 'Print a JSON array, as codex mcp list does' },
  ...SERVER_OPTIONS,
} as const;

export const help = {
  usage: 'oxbow mcp list [options]',
  about: `Lists the configured MCP servers: programs, then servers behind an address. Values that may be secrets are hidden.
Nothing is started or sent anywhere.`,
  options,
  example: 'oxbow mcp list --json',
};

/** Runs `oxbow mcp list`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ command: 'mcp', name: 'list', takes: [], help }, argv);
  if (!read) return 0;
  const { config, servers } = loadServers(read.values);
  const rows = await Promise.all(servers.map(async (server) => ({ server, auth: await authStatus(config, server) })));
  const output = createOutput(() => {});
  if (read.values.json) {
    const timeouts = timeoutsFrom(sourcesOf(read.values));
    const list = rows.map(({ server, auth }) => ({ ...serverJson(server), ...timeouts(server), auth_status: auth }));
    output.write(`${JSON.stringify(list, null, 2)}\n`);
  } else if (rows.length === 0) {
    process.stderr.write('There are no MCP servers. To add one: oxbow mcp add NAME -- COMMAND\n');
  } else {
    output.write(formatServers(rows.map(({ server, auth }) => ({ server, auth: AUTH_WORDS[auth] }))));
  }
  await output.end();
  return 0;
}

interface ServerRow {
  readonly server: ListedServer;
  readonly auth: string;
}

function formatServers(rows: readonly ServerRow[]): string {
  const programs = rows.flatMap(({ server, auth }) => {
    const { transport } = serverJson(server);
    if (transport.type !== 'stdio') return [];
    const { command, args, env, cwd } = transport;
    return [[server.name, command, listText(args), valuesText(env), cwd ?? '-', statusOf(server), auth]];
  });
  const addresses = rows.flatMap(({ server, auth }) => {
    const { transport } = serverJson(server);
    if (transport.type === 'stdio') return [];
    return [[server.name, transport.url, transport.bearer_token_env_var ?? '-', statusOf(server), auth]];
  });
  const tables = [
    formatTable(['Name', 'Command', 'Args', 'Env', 'Cwd', 'Status', 'Auth'], programs),
    formatTable(['Name', 'Url', 'Bearer Token Env Var', 'Status', 'Auth'], addresses),
  ];
  return tables.filter((table) => table !== '').join('\n');
}

const statusOf = ({ enabled }: ListedServer) => (enabled ? 'enabled' : 'disabled');

/** Returns a table in columns. Empty if there are no rows. */
function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const cells = [head, ...rows.map((row) => row.map((cell) => printable(cell).replace(/\s/g, ' ')))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, n) => cell.padEnd(widths[n] ?? 0))
      .join('  ')
      .trimEnd();
  return cells.map((row) => `${line(row)}\n`).join('');
}
