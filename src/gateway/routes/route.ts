import { ClientError } from '../../wire/edge/client-error.ts';
import type { EdgeRoute, OwnRoute } from '../../wire/edge/edge-wire.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import type { Wires } from '../../wire/registry.ts';

export type Route =
  | { readonly type: 'exchange'; readonly wire: Wire }
  | { readonly type: 'own'; readonly wire: Wire; readonly route: OwnRoute; readonly params: RouteParams }
  | { readonly type: 'models' }
  | { readonly type: 'model'; readonly name: string }
  | { readonly type: 'health' }
  | { readonly type: 'metrics' };

type RouteParams = Readonly<Record<string, string>>;

/** Function from a request to its route. It throws `ClientError` when there is none. */
export type Router = (method: string, path: string) => Route;

export function createRouter(wires: Wires): Router {
  const endpoints = groupEndpoints([...formsOf(wires).flatMap(endpointsOf), ...OWN_ENDPOINTS]);
  const exchanges = exchangesOf(wires);
  const known = [...exchanges.keys(), '/v1/models'];
  return (method, path) => {
    // Nearly all requests go to one of these.
    const exchange = method === 'POST' ? exchanges.get(path) : undefined;
    if (exchange !== undefined) return exchange;
    const plain = withoutVersion(path).replace(/(?<=.)\/$/, '');
    for (const { pattern, names, methods } of endpoints) {
      const match = pattern.exec(plain);
      if (match === null) continue;
      const make = methods.get(method === 'HEAD' ? 'GET' : method);
      if (make === undefined) throw wrongMethod(method, path, [...methods.keys()]);
      return make(Object.fromEntries(names.map((name, at) => [name, decoded(match[at + 1] ?? '')])));
    }
    const said = `There is nothing at ${method} ${path}. The gateway answers ${listed(known)}.`;
    throw new ClientError(said, { status: 404, code: 'not_found' });
  };
}

/** Returns the wires, each with its other forms. */
function formsOf(wires: Wires): readonly Wire[] {
  return [...wires.values()].flatMap((wire) => [wire, ...(wire.forms ?? [])]);
}

function exchangesOf(wires: Wires): ReadonlyMap<string, Route> {
  const exchanges = new Map<string, Route>();
  for (const wire of formsOf(wires)) {
    for (const { type, path } of wire.edge.routes) if (type === 'exchange') exchanges.set(path, { type, wire });
  }
  return exchanges;
}

/** A path with one method, and the route for the texts in the path. */
interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly make: (params: RouteParams) => Route;
}

/** The paths that are the same for clients of every wire. */
const OWN_ENDPOINTS: readonly Endpoint[] = [
  { method: 'GET', path: '/v1/models', make: () => ({ type: 'models' }) },
  { method: 'GET', path: '/v1/models/:name*', make: ({ name = '' }) => ({ type: 'model', name }) },
  { method: 'GET', path: '/healthz', make: () => ({ type: 'health' }) },
  { method: 'GET', path: '/health', make: () => ({ type: 'health' }) },
  { method: 'GET', path: '/metrics', make: () => ({ type: 'metrics' }) },
];

function endpointsOf(wire: Wire): readonly Endpoint[] {
  const makeFor = (route: EdgeRoute): Endpoint['make'] =>
    route.type === 'exchange' ? () => ({ type: 'exchange', wire }) : (params) => ({ type: 'own', wire, route, params });
  return wire.edge.routes.map((route) => ({ method: route.method, path: route.path, make: makeFor(route) }));
}

interface EndpointGroup {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly methods: Map<string, Endpoint['make']>;
}

function groupEndpoints(endpoints: readonly Endpoint[]): readonly EndpointGroup[] {
  const groups = new Map<string, EndpointGroup>();
  for (const { method, path, make } of endpoints) {
    const group = groups.get(path) ?? { ...patternOf(path), methods: new Map() };
    group.methods.set(method, make);
    groups.set(path, group);
  }
  return [...groups.values()];
}

/**
 * Returns a pattern for a path. A part with a colon matches any text without a slash; one that also ends in a star
 * matches any text.
 */
function patternOf(path: string): Pick<EndpointGroup, 'pattern' | 'names'> {
  const names: string[] = [];
  const parts = withoutVersion(path)
    .split('/')
    .map((part) => {
      if (!part.startsWith(':')) return part.replaceAll(/[^\w-]/g, '\\$&');
      names.push(part.replace(/^:|\*$/g, ''));
      return part.endsWith('*') ? '(.+)' : '([^/]+)';
    });
  return { pattern: new RegExp(`^${parts.join('/')}$`), names };
}

function withoutVersion(path: string): string {
  return path.replace(/^\/v1(?=\/)/, '');
}

function wrongMethod(method: string, path: string, allowed: readonly string[]): ClientError {
  const allow = allowed.join(', ');
  return new ClientError(`${path} does not accept ${method}. It accepts ${allow}.`, {
    status: 405,
    code: 'method_not_allowed',
    headers: { allow },
  });
}

function listed(paths: readonly string[]): string {
  return `${paths.slice(0, -1).join(', ')} and ${paths.at(-1)}`;
}

/** Returns a text without its escapes. A text that is not escaped properly is returned as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
