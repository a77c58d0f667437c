import type { WireName } from '../base/wire.ts';
import { ClientError } from './client-error.ts';

export type Route =
  | { readonly type: 'exchange'; readonly wire: WireName }
  | { readonly type: 'models' }
  | { readonly type: 'model'; readonly name: string }
  | { readonly type: 'stored'; readonly action: 'get' | 'delete' | 'input_items'; readonly id: string }
  | { readonly type: 'health' }
  | { readonly type: 'metrics' };

/** Where a request goes. Throws `ClientError` when it goes nowhere. */
export function findRoute(method: string, path: string): Route {
  const usual = method === 'POST' ? USUAL.get(path) : undefined;
  if (usual !== undefined) return usual;
  const place = path.replace(/^\/v1(?=\/)/, '').replace(/(?<=.)\/$/, '');
  for (const [pattern, methods] of PLACES) {
    const match = pattern.exec(place);
    if (match === null) continue;
    const make = methods[method === 'HEAD' ? 'GET' : method];
    if (make === undefined) throw wrongMethod(method, path, Object.keys(methods));
    return make(decoded(match[1] ?? ''));
  }
  throw new ClientError(
    `There is nothing at ${method} ${path}. The gateway answers /v1/responses, /v1/chat/completions and /v1/models.`,
    { status: 404, code: 'not_found' },
  );
}

/** Where nearly all requests go. */
const USUAL: ReadonlyMap<string, Route> = new Map([
  ['/v1/responses', { type: 'exchange', wire: 'responses' }],
  ['/v1/chat/completions', { type: 'exchange', wire: 'chat' }],
]);

type Make = (name: string) => Route;

const PLACES: readonly (readonly [RegExp, Readonly<Record<string, Make>>])[] = [
  [/^\/responses$/, { POST: () => ({ type: 'exchange', wire: 'responses' }) }],
  [/^\/chat\/completions$/, { POST: () => ({ type: 'exchange', wire: 'chat' }) }],
  [/^\/responses\/([^/]+)\/input_items$/, { GET: (id) => ({ type: 'stored', action: 'input_items', id }) }],
  [
    /^\/responses\/([^/]+)$/,
    {
      GET: (id) => ({ type: 'stored', action: 'get', id }),
      DELETE: (id) => ({ type: 'stored', action: 'delete', id }),
    },
  ],
  [/^\/models$/, { GET: () => ({ type: 'models' }) }],
  [/^\/models\/(.+)$/, { GET: (name) => ({ type: 'model', name }) }],
  [/^\/healthz$/, { GET: () => ({ type: 'health' }) }],
  [/^\/metrics$/, { GET: () => ({ type: 'metrics' }) }],
];

function wrongMethod(method: string, path: string, allowed: readonly string[]): ClientError {
  const allow = allowed.join(', ');
  return new ClientError(`${path} does not take ${method}. It takes ${allow}.`, {
    status: 405,
    code: 'method_not_allowed',
    headers: { allow },
  });
}

/** What is no proper escape stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
