import { findCredentials } from '../../auth/credentials.ts';
import { UserError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ModelEntry } from '../../base/model-entry.ts';
import type { ModelPrice } from '../../base/price.ts';
import type { Provider } from '../../base/provider.ts';
import type { ListedModel } from '../../base/wire.ts';
import type { Config } from '../../config/load-config.ts';
import { realWorld } from '../../config/real-world.ts';
import { fetchModels } from '../../model/fetch-models.ts';
import { requestHeaders } from '../../model/headers.ts';
import { modelRow } from '../../model/model-rows.ts';
import { configuredEntry } from '../../model/models.ts';
import { modelRates } from '../../model/prices.ts';
import { assertWires } from '../../model/providers/assert-wires.ts';
import { findProvider, providerIds } from '../../model/providers/index.ts';
import type { ModelsWire } from '../../model/served-models.ts';
import { loadWiresToTry } from '../../wire/registry.ts';
import { serverParts } from '../servers.ts';
import { clientIdentity } from '../thread/client-identity.ts';

/** A model that a server lists, with the facts that are known about it. */
export interface KnownModel extends ModelEntry {
  readonly id: string;
  readonly price?: ModelPrice;
}

const TIMEOUT_MS = 10_000;

/**
 * Asks the server of a provider for its models, and adds the facts of the user and of the table. Facts that only the
 * server knows count last, because the agent does not use them. Throws `ModelError` or `UserError`.
 */
export async function listKnownModels(config: Config, id: string): Promise<readonly KnownModel[]> {
  assertWires(config.modelProviders);
  const provider = findProvider(id, config.modelProviders, config);
  const { http, close } = serverParts(undefined, config);
  try {
    const headers = (wire: ModelsWire) => headersFor(wire, provider, config);
    const wires = await loadWiresToTry(provider);
    const listed = await fetchModels({ provider, wires, http, headers, timeoutMs: TIMEOUT_MS });
    const models = listed.flatMap((model) => knownModel(model, provider, config) ?? []);
    return models.sort((a, b) => (a.id < b.id ? -1 : 1));
  } finally {
    await close();
  }
}

/** Throws `UserError` for a provider that does not exist. `meant` words a guess. */
export function assertProvider(config: Config, id: string, meant: (ids: readonly string[]) => string): void {
  const ids = providerIds(config.modelProviders);
  if (!ids.includes(id)) throw new UserError('not_found', `There is no provider "${id}".${meant(ids)}`);
}

async function headersFor(wire: ModelsWire, provider: Provider, config: Config): Promise<Record<string, string>> {
  const credentials = await findCredentials(provider, config);
  const identity = clientIdentity({ originator: config.originator ?? 'oxbow_models', config }, realWorld().uuid());
  return requestHeaders({ provider, identity, credentials, env: config.env, wire });
}

function knownModel(model: ListedModel, provider: Provider, config: Config): KnownModel | undefined {
  const { id } = model;
  if (typeof id !== 'string' || id === '') return undefined;
  const price = modelRates({ provider, model: id, configured: config.modelPrices }) ?? priceIn(model);
  return {
    id,
    ...entryIn(model),
    ...modelRow(id),
    ...configuredEntry(config.models, provider.id, id),
    ...(price && { price }),
  };
}

/** Names under which servers list the window of a model. */
const WINDOW_FIELDS = ['context_length', 'context_window', 'max_context_length', 'max_model_len', 'max_input_tokens'];

/** Names under which servers list the most tokens of a response. */
const OUTPUT_FIELDS = ['max_output_tokens', 'max_completion_tokens', 'max_tokens'];

function entryIn(model: ListedModel): ModelEntry {
  const [contextWindow, maxOutputTokens] = [WINDOW_FIELDS, OUTPUT_FIELDS].map((fields) =>
    fields.map((field) => model[field]).find(isTokens),
  );
  return { ...(contextWindow && { contextWindow }), ...(maxOutputTokens && { maxOutputTokens }) };
}

const isTokens = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0;

/** Returns the price in the form of OpenRouter: dollars for one token, as texts. */
function priceIn({ pricing }: ListedModel): ModelPrice | undefined {
  if (!isRecord(pricing) || typeof pricing.prompt !== 'string' || typeof pricing.completion !== 'string')
    return undefined;
  const [input = -1, output = -1] = [pricing.prompt, pricing.completion].map((text) => perMillion(text));
  return input >= 0 && output >= 0 ? { input, output } : undefined;
}

function perMillion(text: string): number {
  // Digits behind the sixth are noise of binary fractions.
  return text.trim() === '' ? -1 : Math.round(Number(text) * 1e12) / 1e6;
}
