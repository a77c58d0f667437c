import type { ModelEntry } from '../../base/model-entry.ts';
import { badRequest, ClientError } from '../edge/client-error.ts';
import type { OwnRoute } from '../edge/edge-wire.ts';
import { wordOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';

const MANAGED = 'Models are managed at their servers, not by the gateway.';
const NO_EMBEDDINGS = 'The gateway makes no embeddings. Ask a server of embedding models.';

/** The routes for everything but answers of models. */
export const ownRoutes: readonly OwnRoute[] = [
  {
    type: 'own',
    method: 'GET',
    path: '/api/tags',
    answer: async (_request, gateway) => ({ models: (await gateway.models()).flatMap(taggedModel) }),
  },
  {
    type: 'own',
    method: 'POST',
    path: '/api/show',
    async answer(request, gateway) {
      const body = await request.body();
      // Older clients call the model a name.
      const model = wordOf(body.model) ?? wordOf(body.name);
      if (model === undefined) throw badRequest('The request names no model.', 'model');
      const facts = gateway.factsOf(model);
      if (facts === undefined) throw unknownModel(model);
      const shown = await gateway.forward('/show', model, body);
      if (shown !== undefined) return shown;
      // Clients may leave out the usual tag.
      if (!(await gateway.isServed([model, `${model}:latest`]))) throw unknownModel(model);
      return shownModel(model, facts);
    },
  },
  { type: 'own', method: 'GET', path: '/api/version', answer: async () => ({ version: PROTOCOL_VERSION }) },
  // The gateway does not know which models its servers have in memory.
  { type: 'own', method: 'GET', path: '/api/ps', answer: async () => ({ models: [] }) },
  // The text by which clients recognise a server.
  { type: 'own', method: 'GET', path: '/', isText: true, answer: async () => 'Ollama is running' },
  unsupported('POST', '/api/pull', MANAGED),
  unsupported('POST', '/api/push', MANAGED),
  unsupported('POST', '/api/create', MANAGED),
  unsupported('POST', '/api/copy', MANAGED),
  unsupported('DELETE', '/api/delete', MANAGED),
  unsupported('POST', '/api/embed', NO_EMBEDDINGS),
  unsupported('POST', '/api/embeddings', NO_EMBEDDINGS),
];

/** Version of the server whose protocol this wire has. Clients refuse servers that are too old for them. */
const PROTOCOL_VERSION = '0.13.0';

function unsupported(method: OwnRoute['method'], path: string, why: string): OwnRoute {
  return {
    type: 'own',
    method,
    path,
    async answer() {
      throw new ClientError(why, { status: 501, code: 'not_supported' });
    },
  };
}

/** Returns the error in the words by which clients of this wire know it. */
function unknownModel(model: string): ClientError {
  return new ClientError(`model '${model}' not found`, { status: 404, code: 'model_not_found' });
}

/** Returns a model of the list. A server of this wire knows more about it than its name. */
function taggedModel({ id, created, modified_at, size, digest, details }: Fields): readonly Fields[] {
  if (typeof id !== 'string') return [];
  const seconds = typeof created === 'number' && created > 0 && created < MAX_SECONDS ? created : 0;
  return [
    {
      name: id,
      model: id,
      modified_at: wordOf(modified_at) ?? new Date(seconds * 1000).toISOString(),
      size: typeof size === 'number' ? size : 0,
      digest: wordOf(digest) ?? NO_DIGEST,
      details: details ?? DETAILS,
    },
  ];
}

/** The year 9999. */
const MAX_SECONDS = 253_402_300_799;
/** Clients show the first digits without looking whether there are any. */
const NO_DIGEST = '0'.repeat(64);
/** Family of models about which only the name is known. */
const FAMILY = 'unknown';

const DETAILS: Fields = {
  parent_model: '',
  format: '',
  family: FAMILY,
  families: [FAMILY],
  parameter_size: '',
  quantization_level: '',
};

/** Returns a model in the words of this wire. Every model here answers, and is assumed to call tools. */
function shownModel(model: string, { contextWindow, input = [], reasoningEfforts = [] }: ModelEntry): Fields {
  return {
    modelfile: '',
    parameters: '',
    template: '',
    details: DETAILS,
    model_info: {
      'general.architecture': FAMILY,
      'general.basename': model,
      ...(contextWindow !== undefined && { [`${FAMILY}.context_length`]: contextWindow }),
    },
    capabilities: [
      'completion',
      'tools',
      ...(input.includes('image') ? ['vision'] : []),
      ...(reasoningEfforts.length > 0 ? ['thinking'] : []),
    ],
    modified_at: new Date(0).toISOString(),
  };
}
