import type { ResponseStore } from '../../base/response-store.ts';
import { modelRow } from '../../model/model-rows.ts';
import { ClientError } from '../../wire/edge/client-error.ts';
import type { EdgeWire } from '../../wire/edge/edge-wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { Outgoing } from '../server/client-io.ts';
import { sendJson, sendText } from '../server/send-json.ts';
import { type ForwardOptions, forward } from './forward.ts';
import { type ListModelsOptions, listedBy, listModels, modelEntry } from './list-models.ts';
import type { Route } from './route.ts';

export interface AnswerOtherOptions extends ListModelsOptions, ForwardOptions {
  readonly store: ResponseStore;
  /** Edge of the client's wire. Undefined where the client does not say which wire it speaks. */
  readonly edge: EdgeWire | undefined;
  readonly metrics: () => string;
  readonly draining: boolean;
  readonly query: string;
  /** Reads the body of the request. Throws `ClientError`. */
  readonly body: () => Promise<Fields>;
}

/** Answers requests that are not exchanges with a model. Throws `ClientError`. */
export async function answerOther(route: OtherRoute, outgoing: Outgoing, options: AnswerOtherOptions): Promise<void> {
  if (route.type === 'metrics') sendText(outgoing, 200, options.metrics(), METRICS);
  else if (route.type === 'health' && options.draining) sendJson(outgoing, 503, { status: 'draining' });
  else if (route.type === 'own' && route.route.isText)
    sendText(outgoing, 200, String(await answerTo(route, options)), PLAIN);
  else sendJson(outgoing, 200, await answerTo(route, options));
}

type OtherRoute = Exclude<Route, { type: 'exchange' }>;

const PLAIN = { 'content-type': 'text/plain; charset=utf-8' };
const METRICS = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };

async function answerTo(
  route: Exclude<OtherRoute, { type: 'metrics' }>,
  options: AnswerOtherOptions,
): Promise<unknown> {
  const { targets, store, query, body, edge } = options;
  switch (route.type) {
    case 'health':
      return { status: 'ok' };
    case 'models':
      return listFor(edge, await listModels(options));
    case 'model':
      if (targets.find(route.name) === undefined) throw unknownModel(route.name);
      return entryFor(edge, modelEntry(route.name, targets));
    case 'own':
      return route.route.answer(
        { params: route.params, query, body },
        {
          store,
          models: () => listModels(options),
          factsOf(name) {
            const target = targets.find(name);
            return target && { ...modelRow(target.model), ...target.facts };
          },
          isServed: (names) => isServed(names, options),
          forward: (path, name, asked) => forward({ wire: route.wire, path, name, body: asked }, options),
        },
      );
  }
}

async function isServed(names: readonly string[], options: AnswerOtherOptions): Promise<boolean> {
  const { targets, findTarget } = options;
  const found = await Promise.all(names.map(findTarget));
  const isChosen = (name: string, n: number) => {
    const target = found[n];
    return target !== undefined && (target.provider !== targets.defaultProvider || target.model !== name);
  };
  if (names.some((name, n) => targets.names.includes(name) || isChosen(name, n))) return true;
  const provider = targets.defaultProvider;
  const listed = provider === undefined ? [] : await listedBy(provider, options);
  return listed.length === 0 || listed.some(({ id }) => typeof id === 'string' && names.includes(id));
}

function listFor(edge: EdgeWire | undefined, models: readonly Fields[]): unknown {
  return edge?.modelList?.(models) ?? { object: 'list', data: models };
}

function entryFor(edge: EdgeWire | undefined, model: Fields): unknown {
  return edge?.modelEntry?.(model) ?? model;
}

function unknownModel(name: string): ClientError {
  const said = `There is no model ${JSON.stringify(name)} here.`;
  return new ClientError(said, { status: 404, code: 'model_not_found' });
}
