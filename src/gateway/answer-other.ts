import { ClientError } from './client-error.ts';
import type { Outgoing } from './client-io.ts';
import { type ListModelsOptions, listModels, modelEntry } from './list-models.ts';
import type { ResponseStore } from './response-store.ts';
import type { Route } from './route.ts';
import { sendJson, sendText } from './send-json.ts';

export interface AnswerOtherOptions extends ListModelsOptions {
  readonly store: ResponseStore;
  readonly metrics: () => string;
  readonly draining: boolean;
}

/** Answers what is no exchange with a model. Throws `ClientError`. */
export async function answerOther(route: OtherRoute, outgoing: Outgoing, options: AnswerOtherOptions): Promise<void> {
  if (route.type === 'metrics') sendText(outgoing, 200, options.metrics(), METRICS);
  else if (route.type === 'health' && options.draining) sendJson(outgoing, 503, { status: 'draining' });
  else sendJson(outgoing, 200, await answerTo(route, options));
}

type OtherRoute = Exclude<Route, { type: 'exchange' }>;

const METRICS = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };

function answerTo(route: Exclude<OtherRoute, { type: 'metrics' }>, options: AnswerOtherOptions): unknown {
  const { targets, store } = options;
  switch (route.type) {
    case 'health':
      return { status: 'ok' };
    case 'models':
      return listModels(options);
    case 'model':
      if (targets.find(route.name) === undefined) throw unknown('model', route.name, 'model_not_found');
      return modelEntry(route.name, targets);
    case 'stored':
      return storedValue(route, store);
  }
}

function storedValue({ action, id }: Extract<Route, { type: 'stored' }>, store: ResponseStore): unknown {
  const entry = store.get(id);
  if (entry === undefined) throw unknown('response', id, 'not_found');
  switch (action) {
    case 'get':
      return entry.body;
    case 'delete':
      store.delete(id);
      return { id, object: 'response', deleted: true };
    case 'input_items': {
      // Items of clients need no ids, but a list of them does.
      const data = entry.input.map((item, n) => ({ ...item, id: item.id ?? `item_${n}` }));
      return { object: 'list', data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: false };
    }
  }
}

function unknown(what: string, name: string, code: string): ClientError {
  return new ClientError(`There is no ${what} ${JSON.stringify(name)} here.`, { status: 404, code });
}
