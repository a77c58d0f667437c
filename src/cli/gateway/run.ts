import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isatty } from 'node:tty';
import { runForUser } from '../../app/commands/run-attached.ts';
import { type Config, loadConfig } from '../../config/load-config.ts';
import { formatHelp } from '../format-help.ts';
import { print } from '../output.ts';
import { parseOptions, UsageError } from '../parse-options.ts';
import { chooseServer } from './choose-server.ts';
import type { ClientLaunch, GatewayClient } from './clients/client.ts';
import { CLIENTS } from './clients/index.ts';
import { anyProgram } from './clients/variable-clients.ts';
import { type GatewayUpstream, loadModelList } from './load-gateway.ts';
import { openGateway } from './open-gateway.ts';
import { HELP_OPTION, readLoadOptions, type ServerValues, serverOptions } from './options.ts';
import { chosenModel, findClient, listedModels } from './set-up-client.ts';

const options = {
  ...serverOptions,
  record: { type: 'string', value: 'DIR', help: 'Record every exchange with the server in a file in this folder' },
  for: { type: 'string', value: 'CLIENT', help: 'Treat the program as this client, whatever its name' },
  ...HELP_OPTION,
} as const;

export const help = {
  usage: 'oxbow gateway run [options] -- PROGRAM [ARG …]',
  about: `Runs a program with a gateway of its own on a free port of this machine, and ends with its exit code. Flags or
variables make the program use the gateway, with a key for this run. No file of the user is changed.`,
  options,
  example: 'oxbow gateway run --provider ollama -- codex "explain this project"',
  more: {
    Programs: [
      'codex, claude, opencode, aider, openhands and ollama get their own settings. Any other program gets',
      'OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY and OLLAMA_HOST.',
    ],
  },
};

/** Variable with the key for one run. */
const KEY_ENV = 'OXBOW_GATEWAY_KEY';
/** Short, because the program has ended: no exchange has a client then. */
const DRAIN_MS = 2000;

/** Runs `oxbow gateway run`. */
export async function run(argv: readonly string[]): Promise<number> {
  const { flags, command } = split(argv);
  const { values, positionals } = parseOptions('gateway run', options, flags);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  const [program, ...args] = command;
  if (positionals.length > 0) throw new UsageError(`Write -- before the program, which is "${positionals[0]}". ${SEE}`);
  if (program === undefined) throw new UsageError(`oxbow gateway run takes a program after --. ${SEE}`);
  const client = values.for === undefined ? clientOf(program) : findClient(values.for);
  const { launch } = client;
  if (launch === undefined)
    throw new UsageError(`${client.name} reads the address of a server from its own file only. ${writeAdvice(client)}`);
  const key = client.sendsNoKey ? undefined : randomBytes(32).toString('base64url');
  const config = loadRunConfig(values, key);
  const server = await chooseServer(values, config);
  const models = await modelsFor(client, config, { upstream: server.upstream, chosen: chosenModel(values, config) });
  const { record, 'upstream-key-env': upstreamKeyEnv } = values;
  const gateway = await openGateway({ config, server, isForRun: true, json: false, record, upstreamKeyEnv });
  const keyEnv = key === undefined ? undefined : KEY_ENV;
  const extra = launch(client.setup({ url: gateway.url, keyEnv, models }, process.env));
  gateway.printer.note(`${basename(program)} uses the gateway at ${gateway.url}`);
  try {
    return await runProgram(program, args, { extra, key });
  } finally {
    await gateway.close(DRAIN_MS);
  }
}

const SEE = 'See oxbow gateway run --help.';

/** Splits a command line at --. It is not needed where the program is the first word. */
function split(argv: readonly string[]): { readonly flags: readonly string[]; readonly command: readonly string[] } {
  const dashes = argv.indexOf('--');
  if (argv[0] !== undefined && !argv[0].startsWith('-')) return { flags: [], command: argv };
  return dashes === -1
    ? { flags: argv, command: [] }
    : { flags: argv.slice(0, dashes), command: argv.slice(dashes + 1) };
}

/** Returns the client that a program is, by its name. */
function clientOf(program: string): GatewayClient {
  const name = basename(program).replace(/\.(?:exe|cmd|js|mjs)$/i, '');
  return [...CLIENTS.values()].find(({ programs }) => programs.includes(name)) ?? anyProgram;
}

function writeAdvice(client: GatewayClient): string {
  const [name] = [...CLIENTS].find(([, one]) => one === client) ?? [];
  return `Start oxbow gateway, and set it up with oxbow gateway --for ${name} --write.`;
}

interface ModelSources {
  readonly upstream: GatewayUpstream | undefined;
  readonly chosen: string | undefined;
}

/** Returns the models to tell a client of. A client treats a model that it does not know with more care than its own. */
async function modelsFor(
  client: GatewayClient,
  config: Config,
  { upstream, chosen }: ModelSources,
): Promise<readonly string[]> {
  if (chosen !== undefined || client.model === 'unused') return chosen === undefined ? [] : [chosen];
  if (client.model === 'needed') return listedModels(client, config, upstream);
  const { onlyGatewayModel } = await loadModelList();
  const only = await onlyGatewayModel(config, upstream);
  return only === undefined ? [] : [only];
}

function loadRunConfig(values: ServerValues, key: string | undefined): Config {
  const gateway = { host: '127.0.0.1', port: 0, key_env: key === undefined ? [] : [KEY_ENV] };
  return loadConfig({
    ...readLoadOptions(values, { gateway }),
    ...(key === undefined ? {} : { moreEnv: { [KEY_ENV]: key } }),
  });
}

interface RunAdditions {
  readonly extra: ClientLaunch;
  readonly key: string | undefined;
}

async function runProgram(program: string, args: readonly string[], { extra, key }: RunAdditions): Promise<number> {
  const { settings } = extra;
  const variables = Object.fromEntries(
    Object.entries(extra.variables).map(([name, value]) => [name, filled(value, key)]),
  );
  const folder = settings && mkdtempSync(join(tmpdir(), 'oxbow-run-'));
  try {
    const file = folder && join(folder, 'settings.json');
    if (file && settings) writeFileSync(file, filled(JSON.stringify(settings.value), key), { mode: 0o600, flag: 'wx' });
    const end = await runForUser({
      command: program,
      args: [...(extra.args ?? []), ...(file && settings ? [settings.flag, file] : []), ...args],
      env: { ...process.env, ...variables, ...(key === undefined ? {} : { [KEY_ENV]: key }) },
      // Not process.stdin, which would set up the terminal for this process.
      hasTerminal: isatty(0),
    });
    if (end.problem !== undefined) process.stderr.write(`oxbow: ${end.problem}\n`);
    return end.code;
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns a text in which the key stands in the place of its variable. */
function filled(text: string, key = ''): string {
  return text.replaceAll(`$${KEY_ENV}`, () => key);
}
