import { printable } from '../../text/visible.ts';
import { print } from '../output.ts';
import { parseVerb } from '../threads/parse-verb.ts';
import { AUTH_WORDS, authStatus } from './auth-status.ts';
import { type ListedServer, loadServer, SERVER_OPTIONS, sourcesOf } from './load-servers.ts';
import { serverJson, timeoutsFrom } from './server-json.ts';
import { listText, valuesText } from './server-text.ts';

const options = {
  json: { type: 'boolean', help: 'Print a JSON object, as codex mcp get does' },
  ...SERVER_OPTIONS,
} as const;

export const help = {
  usage: 'oxbow mcp get NAME [options]',
  about: 'Shows the settings of an MCP server. Values that may be secrets are hidden.',
  options,
  example: 'oxbow mcp get docs',
};

/** Runs `oxbow mcp get`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ command: 'mcp', name: 'get', takes: ['NAME'], help }, argv);
  if (!read) return 0;
  const [name = ''] = read.words;
  const { config, server } = loadServer(read.values, name);
  const timeouts = timeoutsFrom(sourcesOf(read.values))(server);
  const { enabledTools, disabledTools } = server;
  const tools = { enabled_tools: enabledTools, disabled_tools: disabledTools.length === 0 ? null : disabledTools };
  if (read.values.json) {
    print(`${JSON.stringify({ ...serverJson(server), ...tools, ...timeouts }, null, 2)}\n`);
    return 0;
  }
  const auth = AUTH_WORDS[await authStatus(config, server)];
  const set = Object.entries({ ...tools, ...timeouts }).filter(([, value]) => value !== null);
  const more = set.map(([key, value]) => [key, Array.isArray(value) ? value.join(', ') : String(value)] as const);
  const rows = [...rowsOf(server), ['auth', auth] as const, ...more, ['remove', `oxbow mcp remove ${name}`] as const];
  print(printable(`${name}\n${rows.map(([key, value]) => `  ${key}: ${value}\n`).join('')}`));
  return 0;
}

function rowsOf(server: ListedServer): (readonly [string, string])[] {
  const { enabled, transport } = serverJson(server);
  const first = [
    ['enabled', String(enabled)],
    ['transport', transport.type],
  ] as const;
  if (transport.type === 'stdio')
    return [
      ...first,
      ['command', transport.command],
      ['args', listText(transport.args)],
      ['cwd', transport.cwd ?? '-'],
      ['env', valuesText(transport.env)],
      ['env_vars', listText(transport.env_vars)],
    ];
  return [
    ...first,
    ['url', transport.url],
    ['bearer_token_env_var', transport.bearer_token_env_var ?? '-'],
    ['http_headers', valuesText(transport.http_headers)],
    ['env_http_headers', valuesText(transport.env_http_headers)],
  ];
}
