import { findUsualServers, type UsualServer } from '../../app/commands/find-local-servers.ts';
import { listProviders } from '../../app/commands/list-providers.ts';
import type { GatewayState } from '../../app/commands/running-gateways.ts';
import { UserError } from '../../base/errors.ts';
import { redactUrl } from '../../base/redact-url.ts';
import type { Config } from '../../config/load-config.ts';
import { UsageError } from '../parse-options.ts';
import type { GatewayUpstream } from './load-gateway.ts';
import type { ServerValues } from './options.ts';
import { readProvider } from './read-provider.ts';

/** The server behind a gateway. */
export interface ChosenServer {
  /** Undefined: `[gateway]` of the configuration says it. */
  readonly upstream: GatewayUpstream | undefined;
  readonly source: Exclude<GatewayState['source'], 'run'>;
  /** Lines for the user about servers that were found. */
  readonly notes: readonly string[];
}

/**
 * Returns the server that the command line or the configuration names. Without either, looks for servers on this machine.
 * Throws `UserError`.
 */
export async function chooseServer(values: ServerValues, config: Config): Promise<ChosenServer> {
  const upstream = namedServer(values, config);
  if (upstream !== undefined) return { upstream, source: 'command_line', notes: [] };
  if (namesServer(config)) return { upstream: undefined, source: 'config', notes: [] };
  const servers = await findUsualServers(config);
  const [found, ...others] = servers.filter(isRunning);
  if (found === undefined) throw nowhere(servers, config);
  const model = values.model === undefined ? {} : { model: values.model };
  return {
    upstream: isOwn(found, config) ? { provider: found.id, ...model } : { url: found.baseUrl, ...model },
    source: 'found',
    notes: [
      `Found ${found.name} at ${found.baseUrl} on this machine${modelsText(found)}.`,
      ...others.map((other) => `Found ${other.name} too. To use it: ${flagFor(other, config)}`),
    ],
  };
}

/** Reports whether the configuration says where requests go. */
export function namesServer({ gateway }: Config): boolean {
  return gateway.provider !== null || Object.keys(gateway.models).length > 0;
}

/** Returns the provider and the model behind a gateway, for people. */
export function servedBy(
  upstream: GatewayUpstream | undefined,
  { gateway }: Config,
): Pick<GatewayState, 'provider' | 'model'> {
  if (upstream === undefined) return { provider: gateway.provider, model: gateway.model };
  const provider = 'url' in upstream ? redactUrl(upstream.url) : upstream.provider;
  return { provider, model: upstream.model ?? null };
}

/** Returns the server that the command line names. Undefined without one. Throws `UsageError`. */
export function namedServer(values: ServerValues, config: Config): GatewayUpstream | undefined {
  const { upstream: url, provider, model, wire, 'upstream-key-env': keyEnv } = values;
  const stray = [wire === undefined ? [] : ['--wire'], keyEnv === undefined ? [] : ['--upstream-key-env']].flat();
  if (url === undefined && stray.length > 0) throw new UsageError(`${stray.join(' and ')} needs --upstream URL.`);
  if (model?.trim() === '') throw new UsageError('-m names no model. Write -m MODEL, or leave it out.');
  if (url !== undefined && provider !== undefined)
    throw new UsageError('--upstream and --provider both say where requests go. Leave one of them out.');
  if (provider !== undefined) return providerNamed(provider, model, config);
  if (url === undefined) return undefined;
  return {
    url,
    ...(wire === undefined ? {} : { wire }),
    ...(keyEnv === undefined ? {} : { keyEnv }),
    ...(model === undefined ? {} : { model }),
  };
}

function providerNamed(text: string, flag: string | undefined, config: Config): GatewayUpstream {
  const { provider, model: named } = readProvider('--provider', text, config);
  if (named !== undefined && flag !== undefined)
    throw new UsageError(`--provider ${text} names a model, and -m ${flag} another one. Leave one of them out.`);
  const configured = config.gateway.provider === provider ? (config.gateway.model ?? undefined) : undefined;
  const model = named ?? flag ?? configured;
  return { provider, ...(model === undefined ? {} : { model }) };
}

type FoundServer = UsualServer & { readonly models: readonly string[] };

function isRunning(server: UsualServer): server is FoundServer {
  return server.models !== undefined;
}

/** Reports whether a server has a table of the user, whose settings count then. */
function isOwn({ id }: UsualServer, { modelProviders }: Config): boolean {
  return Object.hasOwn(modelProviders, id);
}

function flagFor(server: UsualServer, config: Config): string {
  return isOwn(server, config) ? `--provider ${server.id}` : `--upstream ${server.baseUrl}`;
}

const MOST_SHOWN = 5;

function modelsText({ models }: FoundServer): string {
  if (models.length === 0) return ', without models';
  const more = models.length > MOST_SHOWN ? ` and ${models.length - MOST_SHOWN} more` : '';
  return `, with ${models.slice(0, MOST_SHOWN).join(', ')}${more}`;
}

/** Returns the error for a machine without a model server. Keys are named, and never used unasked. */
function nowhere(servers: readonly UsualServer[], config: Config): UserError {
  const places = servers.map(({ name, baseUrl }) => `${name} (${new URL(baseUrl).host})`).join(', ');
  const locked = servers.filter(({ wantsKey }) => wantsKey);
  const withKey = listProviders(config).filter(({ key, isBuiltIn }) => isBuiltIn && key.kind === 'found');
  const sentences = [
    'The gateway has nowhere to send requests.',
    `No model server answers on this machine; tried ${places}.`,
    ...locked.map((one) => `${one.name} wants a key: --upstream ${one.baseUrl} --upstream-key-env NAME.`),
    ...withKey.slice(0, 3).map(({ id, envKey }) => `There is a key in ${envKey}; to use it: --provider ${id}.`),
    'Name a provider in config.toml, such as model_provider = "ollama".',
  ];
  return new UserError('invalid_config', sentences.join(' '), { remedy: { type: 'name_upstream' } });
}
