import { ClientError } from './client-error.ts';
import type { Outgoing } from './client-io.ts';
import { inputPage } from './input-page.ts';
import { type ListModelsOptions, listModels, modelEntry } from './list-models.ts';
import type { ResponseStore } from './response-store.ts';
import type { Route } from './route.ts';
import { sendJson, sendText } from './send-json.ts';

export interface AnswerOtherOptions extends ListModelsOptions {
  readonly store: ResponseStore;
  readonly metrics: () => string;
  readonly draining: boolean;
  readonly query: string;
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
  const { targets } = options;
  switch (route.type) {
    case 'health':
      return { status: 'ok' };
    case 'models':
      return listModels(options);
    case 'model':
      if (targets.find(route.name) === undefined) throw unknown('model', route.name, 'model_not_found');
      return modelEntry(route.name, targets);
    case 'stored':
      return storedValue(route, options);
  }
}

function storedValue(
  { action, id }: Extract<Route, { type: 'stored' }>,
  { store, query }: Pick<AnswerOtherOptions, 'store' | 'query'>,
): unknown {
  const entry = store.get(id);
  if (entry === undefined) throw unknown('response', id, 'not_found');
  switch (action) {
    case 'get':
      return entry.body;
    case 'delete':
      store.delete(id);
      return { id, object: 'response', deleted: true };
    case 'input_items':
      return inputPage(entry.input, query);
  }
}

function unknown(what: string, name: string, code: string): ClientError {
  return new ClientError(`There is no ${what} ${JSON.stringify(name)} here.`, { status: 404, code });
}
