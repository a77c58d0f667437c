import { join } from 'node:path';
import { findHome, findUserFolder } from '../../config/home.ts';
import { setTable, type WrittenTable } from '../../config/set-table.ts';
import { createSettingsReader } from '../../config/setting/settings-reader.ts';
import { readMcpServers } from '../../config/tables/mcp-servers.ts';
import { formatHelp } from '../format-help.ts';
import { print } from '../output.ts';
import { type Parsed, parseOptions, UsageError } from '../parse-options.ts';

const options = {
  env: { type: 'string', multiple: true, value: 'KEY=VALUE', help: 'Set a variable of the program' },
  url: { type: 'string', value: 'URL', help: 'Address of a server that is not a program' },
  'bearer-token-env-var': { type: 'string', value: 'NAME', help: 'Variable with a bearer token for the address' },
  'oauth-client-id': { type: 'string', value: 'ID', help: 'Client that is registered at the server already' },
  'oauth-client-secret-env-var': { type: 'string', value: 'NAME', help: 'Variable with the secret of that client' },
  // Codex has it. Without a line in the help it only gets a sentence of its own.
  'oauth-client-secret': { type: 'string' },
  'oauth-resource': { type: 'string', value: 'RESOURCE', help: 'Resource that a sign-in asks a token for' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow mcp add NAME [options] (--url URL | -- COMMAND [ARG …])',
  about: `Adds an MCP server to config.toml of the home, and keeps everything else there. A server of the same name is replaced.
Nothing is started or sent anywhere.`,
  options,
  example: 'oxbow mcp add docs --env LOG=1 -- npx -y docs-server',
};

type AddValues = Parsed<typeof options>['values'];

/** Runs `oxbow mcp add`. */
export async function run(argv: readonly string[]): Promise<number> {
  const dashes = argv.indexOf('--');
  const [before, command] = dashes === -1 ? [argv, []] : [argv.slice(0, dashes), argv.slice(dashes + 1)];
  if (dashes === -1) refuseBareCommand(before);
  const { values, positionals } = parseOptions('mcp add', options, before);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  if (values['oauth-client-secret'] !== undefined)
    throw new UsageError(
      'A secret would stand in the file. Put it into a variable: --oauth-client-secret-env-var NAME.',
    );
  const name = nameOf(positionals);
  const table = values.url === undefined ? programTable(command, values) : addressTable(values.url, command, values);
  const layer = { origin: 'oxbow mcp add', folder: process.cwd(), table: { mcp_servers: { [name]: table } } };
  // Reading the table checks it.
  readMcpServers(createSettingsReader([layer], { userFolder: findUserFolder(process.env), trusted: false }), false);
  const file = join(findHome(process.env), 'config.toml');
  setTable(file, ['mcp_servers', name], table);
  print(`The MCP server "${name}" is now in ${file}.\n`);
  if (values.url !== undefined && values['bearer-token-env-var'] === undefined)
    print(`If it wants a sign-in: oxbow mcp login ${name}\n`);
  return 0;
}

function nameOf([name, ...more]: readonly string[]): string {
  if (name === undefined) throw new UsageError(`oxbow mcp add takes NAME. ${SEE}`);
  if (more.length > 0)
    throw new UsageError(`Unexpected "${more[0]}". Write -- before the command of the server. ${SEE}`);
  if (/^[\w:@/.-]+$/.test(name)) return name;
  throw new UsageError(`The name "${name}" cannot be used. A name has letters, digits and - _ : @ / . only.`);
}

/** Refuses a command without -- before it. Its options would be reported as unknown ones of ours. */
function refuseBareCommand([name = '-', command = '-', ...args]: readonly string[]): void {
  const isOurs = (arg: string) => !arg.startsWith('-') || Object.hasOwn(options, arg.replace(/^--|=.*$/g, ''));
  if ([name, command].some((word) => word.startsWith('-')) || args.every(isOurs)) return;
  throw new UsageError(`Write -- before the command of the server, which is "${command}". ${SEE}`);
}

const SEE = 'See oxbow mcp add --help.';

function programTable([command, ...args]: readonly string[], values: AddValues): WrittenTable {
  if (command === undefined || command === '')
    throw new UsageError(`Name the command of the server after --, or its address with --url. ${SEE}`);
  const flag = (
    ['bearer-token-env-var', 'oauth-client-id', 'oauth-client-secret-env-var', 'oauth-resource'] as const
  ).find((option) => values[option] !== undefined);
  if (flag !== undefined) throw new UsageError(`--${flag} is for servers with --url, not for programs.`);
  const env = Object.fromEntries((values.env ?? []).map(variable));
  return { command, ...(args.length > 0 && { args }), ...(Object.keys(env).length > 0 && { env }) };
}

function addressTable(url: string, command: readonly string[], values: AddValues): WrittenTable {
  if (command.length > 0) throw new UsageError('A server has a command or --url, not both. Leave one of them out.');
  if (values.env !== undefined) throw new UsageError('--env is for programs, not for servers with --url.');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`--url takes an address that begins with http:// or https://, not "${url}".`);
  const token = variableName(values, 'bearer-token-env-var');
  const secret = variableName(values, 'oauth-client-secret-env-var');
  const { 'oauth-client-id': client, 'oauth-resource': resource } = values;
  if (secret !== undefined && client === undefined)
    throw new UsageError('--oauth-client-secret-env-var needs --oauth-client-id.');
  return {
    url,
    ...(token !== undefined && { bearer_token_env_var: token }),
    ...(resource !== undefined && { oauth_resource: resource }),
    ...(client !== undefined && {
      oauth: { client_id: client, ...(secret !== undefined && { client_secret_env_var: secret }) },
    }),
  };
}

function variable(text: string): [string, string] {
  const [, name, value] = /^([^=\s]+)=(.*)$/s.exec(text) ?? [];
  // The text is not repeated: it may be a secret.
  if (name === undefined || value === undefined) throw new UsageError('--env takes KEY=VALUE, such as --env LOG=1.');
  return [name, value];
}

/** Returns the name of a variable. A token in its place is not repeated. */
function variableName(
  values: AddValues,
  option: 'bearer-token-env-var' | 'oauth-client-secret-env-var',
): string | undefined {
  const name = values[option];
  if (name === undefined || /^[A-Za-z_]\w*$/.test(name)) return name;
  throw new UsageError(`--${option} takes the name of an environment variable, not the secret itself.`);
}
