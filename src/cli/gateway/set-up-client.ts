import { findUserFolder } from '../../config/home.ts';
import type { Config } from '../../config/load-config.ts';
import { gitDiff } from '../../patch/git-diff.ts';
import { diffRows } from '../../text/diff-rows.ts';
import { printable } from '../../text/visible.ts';
import { print } from '../output.ts';
import { didYouMean, UsageError } from '../parse-options.ts';
import { canAsk, confirm } from '../threads/confirm.ts';
import { chooseServer, namedServer } from './choose-server.ts';
import type { ClientFile, ClientSetup, GatewayClient } from './clients/client.ts';
import { CLIENTS } from './clients/index.ts';
import { type GatewayUpstream, loadModelList } from './load-gateway.ts';
import type { GatewayValues, ServerValues } from './options.ts';
import { setupText, shownPath } from './settings/setup-text.ts';
import { makeChange, planChange } from './settings/write-setup.ts';

/** Runs `oxbow gateway --for CLIENT`: prints the settings of a client, or writes them into its file. */
export async function setUpClient(name: string, values: GatewayValues, config: Config): Promise<number> {
  const client = findClient(name);
  const facts = {
    url: urlOf(config),
    keyEnv: config.gateway.keyEnv[0],
    models: await modelsFor(client, values, config),
  };
  const setup = client.setup(facts, process.env);
  if (values.write) return write(client, setup, values.yes ?? false);
  print(values.json ? `${setupJson(name, client, setup)}\n` : setupText(setup, findUserFolder(process.env)));
  return 0;
}

/** Returns the client with a name. Throws `UsageError` with a line for each client that there is. */
export function findClient(name: string): GatewayClient {
  const client = CLIENTS.get(name);
  if (client !== undefined) return client;
  const meant = didYouMean(name, CLIENTS.keys());
  throw new UsageError(`--for does not know "${name}".${meant} It knows:\n${clientList().trimEnd()}`);
}

/** Returns a line for each client. */
export function clientList(): string {
  const width = Math.max(...[...CLIENTS.keys()].map((name) => name.length));
  return [...CLIENTS].map(([name, client]) => `  ${name.padEnd(width)}  ${client.name}: ${client.about}\n`).join('');
}

/**
 * Returns the models to name in the settings of a client: the chosen one, or else those that the server lists, if the
 * client cannot do without. Throws `UsageError` where there are none.
 */
async function modelsFor(client: GatewayClient, values: ServerValues, config: Config): Promise<readonly string[]> {
  const chosen = chosenModel(values, config);
  if (chosen !== undefined) return [chosen];
  if (client.model !== 'needed') return [];
  const { upstream, notes } = await chooseServer(values, config);
  for (const note of notes) process.stderr.write(`${printable(note)}\n`);
  return listedModels(client, config, upstream);
}

/** Returns the model that the command line or the configuration names. */
export function chosenModel(values: ServerValues, config: Config): string | undefined {
  const named = namedServer(values, config);
  return (named === undefined ? config.gateway.model : named.model) ?? undefined;
}

/** Returns the models that the server lists. Throws `UsageError` where there are none. */
export async function listedModels(
  { name }: GatewayClient,
  config: Config,
  upstream: GatewayUpstream | undefined,
): Promise<readonly string[]> {
  const { listGatewayModels } = await loadModelList();
  const models = await listGatewayModels(config, upstream);
  if (models.length > 0) return models.map(({ id }) => id);
  throw new UsageError(`${name} needs the name of a model, and the server lists none. Name one with -m NAME.`);
}

/** Returns the address for clients. Throws `UsageError` for port 0, which is only chosen when the gateway starts. */
function urlOf({ gateway: { host, port } }: Config): string {
  if (port === 0) throw new UsageError('--for needs a fixed port: --port 4141.');
  const reached = ['0.0.0.0', '::', ''].includes(host) ? '127.0.0.1' : host;
  const name = reached.includes(':') && !reached.startsWith('[') ? `[${reached}]` : reached;
  return `http://${name}:${port}`;
}

function setupJson(id: string, { name }: GatewayClient, { file, variables = {}, notes = [] }: ClientSetup): string {
  return JSON.stringify({ client: id, name, file: file ?? null, variables, notes });
}

/** Puts the settings into the client's file, after the user has seen the change. */
async function write({ name }: GatewayClient, setup: ClientSetup, isSure: boolean): Promise<number> {
  const { file, variables = {}, notes = [] } = setup;
  const userFolder = findUserFolder(process.env);
  if (file === undefined) throw new UsageError(`${name} has no file for this. Do what --for prints without --write.`);
  const planned = planChange(file, userFolder);
  const place = shownPath(file.path, userFolder);
  if (planned.after === planned.before) process.stderr.write(`${place} has these settings already.\n`);
  else if (!(await isAgreed(file, planned, isSure))) {
    process.stderr.write('Nothing was changed.\n');
    return 1;
  } else {
    const copy = makeChange(file, planned);
    process.stderr.write(`${place} was ${copy === undefined ? 'made' : 'changed'}.\n`);
    if (copy !== undefined) process.stderr.write(`The old file is ${shownPath(copy, userFolder)}.\n`);
  }
  const rest = setupText({ variables, notes }, userFolder).trim();
  if (rest !== '') print(`${rest}\n`);
  return 0;
}

async function isAgreed(
  { path }: ClientFile,
  { before, after }: { readonly before: string; readonly after: string },
  isSure: boolean,
): Promise<boolean> {
  const rows = diffRows(gitDiff({ path, before, after })).filter(({ kind }) => kind === 'added' || kind === 'removed');
  const lines = rows.map(({ kind, text }) => `${kind === 'added' ? '+' : '-'} ${printable(withoutKeys(text))}\n`);
  process.stderr.write(lines.join(''));
  if (isSure) return true;
  if (!canAsk())
    throw new UsageError('--write asks before it changes a file, and there is no terminal to ask on. Add --yes.');
  return confirm(`Change ${path}?`);
}

/** Returns a line of a file without keys. A change may stand next to one. */
function withoutKeys(line: string): string {
  return line.replace(/((?:key|token|secret|password)"?\s*[:=]\s*)"(?!\$|oxbow")[^"]*"/gi, '$1"…"');
}
