import { isRenewable } from '../../auth/credentials.ts';
import type { EventBody } from '../../base/event.ts';
import { lazy } from '../../base/lazy.ts';
import type { Model } from '../../base/model.ts';
import type { Provider } from '../../base/provider.ts';
import type { ClientWire, WireName } from '../../base/wire.ts';
import type { ThreadSetup } from '../../engine/turn-setup.ts';
import { createModel, type ModelNotice } from '../../model/create-model.ts';
import type { Adapt } from '../../model/exchange/encoded-request.ts';
import { loadClientWire, loadWire, wiresToTry } from '../../wire/registry.ts';
import type { AgentParts } from '../agent-parts.ts';
import { clientIdentity } from './client-identity.ts';
import { ownFacts } from './context-limits.ts';

export interface OpenModelOptions {
  readonly agent: AgentParts;
  readonly threadId: string;
  readonly provider: Provider;
  readonly emit: ThreadSetup['emit'];
}

/** Opens a provider's model for one thread. The model comes from the embedding program or is reached over HTTP. */
export async function openModel({ agent, threadId, provider, emit }: OpenModelOptions): Promise<Model> {
  const { config, world, knownWires, servers, pace, limiter, keys } = agent;
  const limiting = limiter && {
    limiter,
    world,
    onWait: () => emit({ type: 'request.waiting' }, null),
    onFault: (message: string) => emit({ type: 'warning', code: 'callback', message }, null),
  };
  if (agent.ownModel) {
    const model = await agent.ownModel(threadId);
    return limiting ? (await import('./limited-model.ts')).limitedModel(model, limiting) : model;
  }
  let keyFrom: string | null = null;
  const transport = await agent.transport();
  const { http = servers.http } = transport;
  return createModel({
    ...servers,
    ...transport,
    http: limiting ? (await import('../../model/limited-http.ts')).limitedHttp(http, limiting) : http,
    provider,
    world,
    wires: {
      load: loadClientWire,
      known: () => knownWires.get(provider.baseUrl),
      onFound: (wire) => knownWires.set(provider.baseUrl, wire),
    },
    repair: loadRepair,
    adapt: adaptFor,
    ownFacts: (model) => ownFacts(config, provider, model),
    async explain(error, model) {
      // Servers say in many ways that they lack a model. All of them name it, or have no such path.
      if (error.status !== 404 && !(error.status === 400 && /model/i.test(error.serverWords ?? ''))) return error;
      const { modelNames, withModels } = await import('./model-names.ts');
      return withModels(error, model, await modelNames(agent, provider, threadId));
    },
    async credentials(refused) {
      await pace.request();
      // A cassette needs no key.
      if (transport.isReplayed) return {};
      if (agent.credentials) return agent.credentials.of(provider.id, refused);
      const found = await keys.of(provider, refused);
      keyFrom = found.where ?? null;
      return found;
    },
    renewable: agent.credentials !== undefined || isRenewable(provider),
    identity: clientIdentity(agent, threadId),
    env: config.env,
    onNotice(notice) {
      if (notice.type === 'usage.limits') agent.seenLimits.note({ provider: provider.id, keyFrom, ...notice.limits });
      emit(noticeEvent(notice), null);
    },
  });
}

/** Returns the properties of a provider's wire that a turn depends on. */
export async function wireFacts(
  { knownWires, servers }: AgentParts,
  provider: Provider,
): Promise<Pick<ClientWire, 'carries' | 'forgetsReasoning' | 'usualWindow'>> {
  // The tools of a thread depend on the wire that is tried first, not on the wire that the server turns out to speak.
  const { carries } = await loadClientWire(wiresToTry(provider)[0]);
  const [wire] = servers.memory.wiresOf(provider, knownWires.get(provider.baseUrl));
  const { forgetsReasoning, usualWindow } = await loadClientWire(wire);
  return { carries, forgetsReasoning, ...(usualWindow !== undefined && { usualWindow }) };
}

const loadRepair = lazy(async () => (await import('../../repair/repair-stream.ts')).repairStream);

async function adaptFor(wire: WireName): Promise<Adapt> {
  const [{ adaptRequest }, { restoreNames }, { learn }, whole] = await Promise.all([
    import('../../adapt/adapt-request.ts'),
    import('../../adapt/adapt-frames.ts'),
    import('../../adapt/learn.ts'),
    loadWire(wire),
  ]);
  return { wire: whole, adaptRequest, restoreNames, learn };
}

function noticeEvent(notice: ModelNotice): EventBody {
  if (notice.type === 'request.retry') return { ...notice, type: 'retry', of: 'request' };
  if (notice.type === 'calls.received') return notice;
  if (notice.type === 'usage.limits') return { type: notice.type, ...notice.limits };
  const { requested, served } = notice;
  return {
    type: 'warning',
    code: 'model',
    message: `The server answers with the model ${served} instead of ${requested}.`,
  };
}
