import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { UserError } from '../../base/errors.ts';
import { printable } from '../../text/visible.ts';
import { type CommandHelp, formatHelp } from '../format-help.ts';
import { OFFLINE_OPTION, withOffline } from '../offline-option.ts';
import { print } from '../output.ts';
import { type Parsed, parseOptions, UsageError } from '../parse-options.ts';
import { ORIGINS, wordedMessage } from '../wording.ts';

const options = {
  http: { type: 'string', value: 'PORT', help: 'Serve over HTTP on this port; 0 picks a free one' },
  host: { type: 'string', value: 'HOST', help: 'With --http: listen on this address (default: 127.0.0.1)' },
  'key-env': {
    type: 'string',
    multiple: true,
    value: 'NAME',
    help: 'With --http: a variable with a key that clients must send (default: a new key, printed at the start)',
  },
  'no-key': { type: 'boolean', help: 'With --http on this machine only: clients need no key' },
  ...OFFLINE_OPTION,
  config: { type: 'string', short: 'c', multiple: true, value: 'KEY=VALUE', help: 'Override a setting of config.toml' },
  profile: { type: 'string', short: 'p', value: 'NAME', help: 'Use this profile' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help: CommandHelp = {
  usage: 'oxbow mcp-server [options]',
  about:
    'Serves the agent to clients of the Model Context Protocol, over stdin and stdout or over HTTP.\nThe tool codex starts a thread, and codex-reply continues one.',
  options,
  example: 'npx @modelcontextprotocol/inspector --cli oxbow mcp-server --method tools/list',
};

type Values = Parsed<typeof options>['values'];

/** Runs `oxbow mcp-server` until its client has gone, or until a signal to stop. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('mcp-server', options, argv);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  if (positionals.length > 0) throw new UsageError(`Unexpected "${positionals[0]}". See oxbow mcp-server --help.`);
  const say = (text: string) => void process.stderr.write(`${printable(text)}\n`);
  const http = readHttp(values, say);
  const { startMcpServer } = await import('../../mcp-server/start-mcp-server.ts');
  await startMcpServer({
    agent: {
      ownProcess: true,
      source: 'mcp',
      originator: 'oxbow_mcp_server',
      origins: ORIGINS,
      overrides: withOffline(values.config, values.offline),
      onWarning: ({ message }) => say(`warning: ${message}`),
      ...(values.profile === undefined ? {} : { profile: values.profile }),
    },
    version: OXBOW_VERSION,
    serve: http ?? { input: process.stdin, output: process.stdout },
    stop: stopSignal(),
    onError: (error) => say(`oxbow: ${wordedMessage(error)}`),
  });
  return 0;
}

/** Reads the options of HTTP. Returns undefined without --http. */
function readHttp(values: Values, say: (text: string) => void) {
  const { http: port, host = '127.0.0.1', 'key-env': names, 'no-key': open } = values;
  if (port === undefined) {
    const stray = (['host', 'key-env', 'no-key'] as const).find((name) => values[name] !== undefined);
    if (stray !== undefined) throw new UsageError(`--${stray} needs --http PORT.`);
    return undefined;
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageError(`--http takes a number from 0 to 65535, not "${port}".`);
  if (open && names !== undefined) throw new UsageError('--no-key and --key-env cannot be used together.');
  const made = open || names !== undefined ? undefined : randomBytes(24).toString('base64url');
  const keys = made === undefined ? (names ?? []).map(keyIn) : [made];
  const onListening = (url: string) => {
    if (made !== undefined) say(`oxbow: Clients must send the header Authorization: Bearer ${made}`);
    say(`oxbow: The MCP server is at ${url}`);
  };
  return { host, port: Number(port), keys, onListening };
}

/** Returns the key in a variable. There is no default: a variable that is not set must not open the server. */
function keyIn(name: string): string {
  const key = process.env[name]?.trim();
  if (key) return key;
  throw new UserError('invalid_input', `The variable ${name} is not set or empty. It must hold the key of the server.`);
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Returns a signal that aborts at the first signal to stop. The second one ends the process at once. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of STOP_SIGNALS) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(128 + constants.signals[name]);
      stop.abort();
    });
  }
  return stop.signal;
}
