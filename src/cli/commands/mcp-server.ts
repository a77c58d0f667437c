import { constants } from 'node:os';
import { type CommandHelp, formatHelp } from '../format-help.ts';
import { print } from '../output.ts';
import { parseOptions, UsageError } from '../parse-options.ts';
import { printable } from '../print/printable.ts';
import { ORIGINS, wordedMessage } from '../wording.ts';

const options = {
  config: { type: 'string', short: 'c', multiple: true, value: 'KEY=VALUE', help: 'Override a setting of config.toml' },
  profile: { type: 'string', short: 'p', value: 'NAME', help: 'Use this profile' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help: CommandHelp = {
  usage: 'oxbow mcp-server [options]',
  about:
    'Serves the agent to clients of the Model Context Protocol, over stdin and stdout. The tool codex starts a thread, and\ncodex-reply continues one.',
  options,
  example: 'npx @modelcontextprotocol/inspector oxbow mcp-server',
};

/** Runs `oxbow mcp-server` until its client has gone, or until a signal to stop. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('mcp-server', options, argv);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  if (positionals.length > 0) throw new UsageError(`Unexpected "${positionals[0]}". See oxbow mcp-server --help.`);
  const { startMcpServer } = await import('../../mcp-server/start-mcp-server.ts');
  const say = (text: string) => void process.stderr.write(`${printable(text)}\n`);
  await startMcpServer({
    agent: {
      ownProcess: true,
      originator: process.env.CODEX_INTERNAL_ORIGINATOR_OVERRIDE || 'oxbow_mcp_server',
      origins: ORIGINS,
      overrides: values.config ?? [],
      onWarning: ({ message }) => say(`warning: ${message}`),
      ...(values.profile === undefined ? {} : { profile: values.profile }),
    },
    version: OXBOW_VERSION,
    stop: stopSignal(),
    onError: (error) => say(`oxbow: ${wordedMessage(error)}`),
  });
  return 0;
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
