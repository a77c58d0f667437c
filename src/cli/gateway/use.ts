import { join } from 'node:path';
import {
  type ReloadResult,
  type RunningGateway,
  readRunningGateways,
  reloadGateway,
} from '../../app/commands/running-gateways.ts';
import { explainConfig } from '../../config/explain-config.ts';
import { findHome } from '../../config/home.ts';
import { loadConfig } from '../../config/load-config.ts';
import { setSetting } from '../../config/set-setting.ts';
import { removeTable, valueText } from '../../config/set-table.ts';
import { printable } from '../../text/visible.ts';
import { parseVerb } from '../threads/parse-verb.ts';
import { ORIGINS } from '../wording.ts';
import { HELP_OPTION } from './options.ts';
import { readProvider } from './read-provider.ts';
import { destinationOf } from './status.ts';

export const help = {
  usage: 'oxbow gateway use PROVIDER[/MODEL]',
  about: `Switches gateways to another provider: writes it into [gateway] of config.toml, keeps everything else there, and tells
the gateways that run. Exchanges under way end at the old one. oxbow providers lists the providers.`,
  options: HELP_OPTION,
  threadAfter: { use: 'providers' } as const,
  example: 'oxbow gateway use deepseek/deepseek-v4-pro',
};

/** Runs `oxbow gateway use`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ command: 'gateway', name: 'use', takes: ['PROVIDER[/MODEL]'], help }, argv);
  if (!read) return 0;
  const [text = ''] = read.words;
  const home = findHome(process.env);
  const { provider, model } = readProvider('oxbow gateway use', text, loadConfig({ origins: ORIGINS }));
  const file = join(home, 'config.toml');
  setSetting(file, ['gateway', 'provider'], valueText(provider));
  // The model of another provider would be unknown to this one.
  if (model === undefined) removeTable(file, ['gateway', 'model']);
  else setSetting(file, ['gateway', 'model'], valueText(model));
  tell(`${file} now sends to ${destinationOf({ provider, model: model ?? null })}.`);
  warnOfOthers(file);
  const gateways = readRunningGateways(home);
  if (gateways.length === 0) tell('No gateway runs. To start one: oxbow gateway');
  const switched = await Promise.all(gateways.map((gateway) => switchGateway(home, gateway)));
  return switched.every((isSwitched) => isSwitched) ? 0 : 1;
}

function tell(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** Says so where another source sets the provider too. */
function warnOfOthers(file: string): void {
  const found = explainConfig({ origins: ORIGINS }).settings.find(({ key }) => key === 'gateway.provider');
  if (found && found.origin !== file) tell(`It has no effect here, because ${found.origin} sets it too.`);
}

/** Why a gateway cannot be switched, by the place that names its server. */
const FIXED: Readonly<Partial<Record<RunningGateway['source'], string>>> = {
  command_line:
    'keeps its server: it was started with --upstream or --provider, which count more. Start it without them.',
  run: 'keeps its server: it belongs to one program and ends with it.',
};

/** Tells a gateway to read config.toml again, and prints what it serves now. Reports whether it could be switched. */
async function switchGateway(home: string, gateway: RunningGateway): Promise<boolean> {
  const fixed = FIXED[gateway.source];
  const result: ReloadResult = fixed === undefined ? await reloadGateway(home, gateway) : { type: 'unknown' };
  const place = `The gateway at ${gateway.url}`;
  if (fixed !== undefined) tell(`${place} ${fixed}`);
  else if (result.type === 'reloaded') tell(`${place} now sends to ${destinationOf(result.gateway)}.`);
  else if (result.type === 'refused') tell(`${place} keeps its configuration: ${result.why}`);
  else if (result.type === 'silent') tell(`${place} did not answer. See oxbow gateway status.`);
  else tell(`${place} cannot be told from other processes here. Tell it yourself: kill -HUP ${gateway.pid}`);
  return result.type === 'reloaded';
}
