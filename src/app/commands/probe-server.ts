import { findCredentials } from '../../auth/credentials.ts';
import { UserError } from '../../base/errors.ts';
import type { Provider } from '../../base/provider.ts';
import type { Config } from '../../config/load-config.ts';
import { realWorld } from '../../config/real-world.ts';
import { findProvider } from '../../model/providers/index.ts';
import { providerAt } from '../../model/providers/provider-at.ts';
import type { ProbeProgress } from '../../probe/parts.ts';
import { type ProviderEntry, providerEntry } from '../../probe/provider-entry.ts';
import type { ProbeReport } from '../../probe/report.ts';
import { probeExtent, runProbe } from '../../probe/run-probe.ts';
import { withoutWirePath } from '../../wire/registry.ts';
import { serverParts } from '../servers.ts';
import { clientIdentity } from '../thread/client-identity.ts';
import { type KeySource, keySource } from './key-source.ts';

export type { Finding } from '../../probe/finding.ts';
export type { ProbeProgress } from '../../probe/parts.ts';
export { type ProviderEntry, settingName } from '../../probe/provider-entry.ts';
export type { CheckedRow, ProbeReport } from '../../probe/report.ts';

/** A server that a user named by its address or by the id of its provider. */
export interface ProbeTarget {
  readonly provider: Provider;
  /** Id of the provider, or a name made of the address. */
  readonly name: string;
  /** Whether the provider is in the configuration or built in. */
  readonly isKnown: boolean;
  readonly isBuiltIn: boolean;
  readonly key: KeySource;
}

export interface ProbeServerOptions {
  readonly model: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Ids of the checks to run. Without it, all of them. */
  readonly only?: readonly string[];
  readonly onProgress?: (progress: ProbeProgress) => void;
}

/** Checks that show whether a turn would work. */
export const ONLINE_CHECKS: readonly string[] = ['wires', 'call'];

export { probeExtent };

/** Finds the server to probe. A variable with its key may be named. Throws `UserError` for an unknown provider. */
export function findProbeTarget(text: string, envKey: string | undefined, config: Config): ProbeTarget {
  const { modelProviders, openaiBaseUrl } = config;
  const isUrl = /^https?:\/\//i.test(text);
  const address = isUrl ? withoutPath(text) : undefined;
  const found = address === undefined ? text : providerAt(address, modelProviders);
  const overrides = { openaiBaseUrl };
  const name = found ?? nameOf(address ?? text);
  const known = found === undefined ? undefined : findProvider(found, modelProviders, overrides);
  const provider = known ?? findProvider(name, { [name]: { baseUrl: address ?? text } });
  const moved = address === undefined ? provider : { ...provider, baseUrl: address };
  const keyed = envKey === undefined ? moved : { ...moved, envKey };
  return {
    provider: keyed,
    name,
    isKnown: known !== undefined,
    isBuiltIn: known !== undefined && !Object.hasOwn(modelProviders, name) && moved.baseUrl === known.baseUrl,
    key: keySource(keyed, config),
  };
}

/** Probes a server. The failure of a server is part of the report. */
export async function probeServer(
  { provider }: Pick<ProbeTarget, 'provider'>,
  config: Config,
  options: ProbeServerOptions,
): Promise<ProbeReport> {
  const servers = serverParts(undefined, config);
  const world = realWorld();
  try {
    return await runProbe({
      ...options,
      provider,
      http: servers.http,
      credentials: () => findCredentials(provider, config),
      identity: clientIdentity({ originator: config.originator ?? 'oxbow_probe', config }, world.uuid()),
      env: config.env,
      world,
    });
  } finally {
    await servers.close();
  }
}

/** Returns the entry for config.toml; undefined for a server that answered over no wire. */
export function entryOf(report: ProbeReport, { isBuiltIn }: ProbeTarget, name: string): ProviderEntry | undefined {
  const { provider, wire } = report;
  if (wire === null) return undefined;
  const plain = findProvider(name, { [name]: { baseUrl: provider.baseUrl } }).compat;
  return providerEntry({ provider, wire, plain, isBuiltIn });
}

/** Returns an address without the path of a wire, which people copy along. */
function withoutPath(text: string): string {
  const address = text.trim().replace(/\/+$/, '');
  if (!URL.canParse(address)) throw new UserError('invalid_input', `"${text}" is not an address.`);
  return withoutWirePath(address);
}

/** Returns a name for a server that has none, made of its host. */
function nameOf(address: string): string {
  const host = URL.canParse(address) ? new URL(address).host : address;
  return host.replace(/^(?:api|www)\./, '').replace(/[^A-Za-z0-9]+/g, '-');
}
