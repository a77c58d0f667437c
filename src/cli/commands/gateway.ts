import { loadConfig } from '../../config/load-config.ts';
import { formatHelp } from '../format-help.ts';
import { verbs } from '../gateway/index.ts';
import { gatewayOptions, readGatewayOptions } from '../gateway/options.ts';
import { serve } from '../gateway/serve.ts';
import { clientList, setUpClient } from '../gateway/set-up-client.ts';
import { print } from '../output.ts';
import { parseOptions, UsageError } from '../parse-options.ts';
import { runVerb } from '../run-verb.ts';

export { verbs };

const width = Math.max(...Object.keys(verbs).map((name) => name.length));

export const help = {
  usage: `oxbow gateway [options], or oxbow gateway ${Object.keys(verbs).join('|')}`,
  about: `Serves any model server to agents that speak another protocol, and repairs what it gets wrong. Without --upstream,
--provider or a provider in config.toml, it finds a server on this machine.`,
  options: gatewayOptions,
  more: {
    Verbs: Object.entries(verbs).map(([name, { summary }]) => `${name.padEnd(width)}  ${summary}`),
    Signals: [
      'SIGHUP           reads config.toml again without interrupting exchanges',
      'SIGTERM, Ctrl-C  waits up to 30 seconds for running exchanges, then exits; a second signal exits at once',
    ],
  },
  example: 'oxbow gateway --upstream http://localhost:8000/v1',
};

/** Runs `oxbow gateway`, which serves until it gets a signal to stop, or one of its verbs. */
export async function run(argv: readonly string[]): Promise<number> {
  const [first = '-'] = argv;
  if (!first.startsWith('-')) return runVerb('gateway', help, verbs, argv);
  if (asksForClients(argv)) {
    print(clientList());
    return 0;
  }
  const { values, positionals } = parseOptions('gateway', gatewayOptions, argv);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  if (positionals.length > 0) throw new UsageError(`Unexpected "${positionals[0]}". See oxbow gateway --help.`);
  if (values.for === undefined && (values.write || values.yes))
    throw new UsageError(`--${values.write ? 'write' : 'yes'} needs --for CLIENT. See oxbow gateway clients.`);
  const config = loadConfig(readGatewayOptions(values));
  return values.for === undefined ? serve(values, config) : setUpClient(values.for, values, config);
}

/** Reports whether --for has no value. */
function asksForClients(argv: readonly string[]): boolean {
  const at = argv.indexOf('--for');
  return at !== -1 && (argv[at + 1]?.startsWith('-') ?? true);
}
