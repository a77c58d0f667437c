import { type RunningGateway, readRunningGateways } from '../../app/commands/running-gateways.ts';
import { findHome } from '../../config/home.ts';
import { relativeTime } from '../../text/relative-time.ts';
import { print } from '../output.ts';
import { formatColumns } from '../print/format-columns.ts';
import { parseVerb } from '../threads/parse-verb.ts';
import { HELP_OPTION } from './options.ts';

const options = {
  json: { type: 'boolean', help: 'Print a JSON array' },
  ...HELP_OPTION,
} as const;

export const help = {
  usage: 'oxbow gateway status [options]',
  about: 'Lists the gateways of this home that run, and the providers behind them.',
  options,
  example: 'oxbow gateway status --json',
};

/** Runs `oxbow gateway status`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ command: 'gateway', name: 'status', takes: [], help }, argv);
  if (!read) return 0;
  const gateways = readRunningGateways(findHome(process.env));
  if (read.values.json) print(`${JSON.stringify(gateways.map(statusJson), null, 2)}\n`);
  else if (gateways.length === 0) process.stderr.write('No gateway runs. To start one: oxbow gateway\n');
  else print(formatColumns([HEAD, ...gateways.map(cellsOf)]));
  return 0;
}

const HEAD = ['address', 'pid', 'sends to', 'named by', 'since'];

/** Words for the place that names the server. */
const SOURCES: Readonly<Record<RunningGateway['source'], string>> = {
  config: 'config.toml',
  command_line: 'its command line',
  found: 'nobody, found',
  run: 'oxbow gateway run',
};

function cellsOf(gateway: RunningGateway): readonly string[] {
  const { url, pid, source, since } = gateway;
  const time = relativeTime(new Date(since).toISOString(), Date.now());
  return [`${url}/v1`, String(pid), destinationOf(gateway), SOURCES[source] ?? source, time];
}

/** Returns the provider and the model behind a gateway. */
export function destinationOf({ provider, model }: Pick<RunningGateway, 'provider' | 'model'>): string {
  if (provider === null) return 'several providers';
  if (model === null) return provider;
  return provider.includes('://') ? `${provider} (${model})` : `${provider}/${model}`;
}

function statusJson({ url, pid, provider, model, source, since, problem }: RunningGateway) {
  return { url, base_url: `${url}/v1`, pid, provider, model, source, since: new Date(since).toISOString(), problem };
}
