import { ModelError } from '../../base/errors.ts';
import type { Provider } from '../../base/provider.ts';
import { redactUrl } from '../../base/redact-url.ts';
import type { ThreadSetup } from '../../engine/turn-setup.ts';
import { requestHeaders } from '../../model/headers.ts';
import { type ModelsWire, servedModels } from '../../model/served-models.ts';
import { loadWiresToTry } from '../../wire/registry.ts';
import type { AgentParts } from '../agent-parts.ts';
import { clientIdentity } from './client-identity.ts';

const TIMEOUT_MS = 3000;

/** Returns the names of the models that a server lists. None for a server that lists none in time, and with a cassette. */
export async function modelNames(agent: AgentParts, provider: Provider, threadId: string): Promise<readonly string[]> {
  const { config, servers } = agent;
  const { http = servers.http, isReplayed, tap } = await agent.transport();
  // A cassette holds requests to models only, and a recording must ask for the same model as its replay.
  if (agent.ownModel || isReplayed || tap) return [];
  const headers = async (wire: ModelsWire) => {
    const credentials = agent.credentials
      ? await agent.credentials.of(provider.id, false)
      : await agent.keys.of(provider, false);
    const identity = clientIdentity(agent, threadId);
    return requestHeaders({ provider, identity, credentials, env: config.env, wire });
  };
  const wires = await loadWiresToTry(provider, agent.knownWires.get(provider.baseUrl));
  const models = await servedModels({ provider, wires, http, headers, timeoutMs: TIMEOUT_MS });
  return models.flatMap(({ id }) => (typeof id === 'string' && id !== '' && id.length <= LONGEST_NAME ? [id] : []));
}

const LONGEST_NAME = 200;
const MOST_SHOWN = 20;

/** Returns the error of a request for a model with the models that the server has instead. */
export function withModels(error: ModelError, model: string, names: readonly string[]): ModelError {
  if (names.length === 0 || names.includes(model)) return error;
  const more = names.length > MOST_SHOWN ? ` and ${names.length - MOST_SHOWN} more` : '';
  const has = `${names.slice(0, MOST_SHOWN).join(', ')}${more}`;
  const { code, message, retryable, retryAfterMs, status, serverWords, codexMessage } = error;
  return new ModelError(
    code,
    `${message.replace(/\.?$/, '.')} The server has no model "${model}". It has: ${has}. Name one with model = "NAME" in config.toml.`,
    { retryable, retryAfterMs, status, serverWords, codexMessage, remedy: { type: 'name_model' }, cause: error },
  );
}

/** Returns the model of a server that has no other, if its name is not the one that would be sent. */
export async function onlyModel(
  { agent, threadId, emitLater }: ModelSearch,
  { provider, model }: { readonly provider: Provider; readonly model: string },
): Promise<string | undefined> {
  const names = await modelNames(agent, provider, threadId);
  const [only] = names;
  if (only === undefined || names.length > 1 || only === model) return undefined;
  const message = `No model is set. The server at ${redactUrl(provider.baseUrl)} has only ${only}, which is used.`;
  emitLater({ type: 'warning', code: 'model', message, model: only }, null);
  return only;
}

/** The thread for which a model is looked for. */
interface ModelSearch {
  readonly agent: AgentParts;
  readonly threadId: string;
  readonly emitLater: ThreadSetup['emit'];
}
