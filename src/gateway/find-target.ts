import type { Provider } from '../base/provider.ts';
import type { HttpSender } from '../model/http.ts';
import { ClientError } from '../wire/edge/client-error.ts';
import type { Wires } from '../wire/registry.ts';
import type { GatewayOptions } from './gateway.ts';
import { listedBy } from './routes/list-models.ts';
import type { Target, Targets } from './target.ts';

/**
 * Function from a name to its target. It returns undefined when there is no such model. A name that only clients know, and
 * that nothing in the configuration stands for, goes to the only model of the server. Where the server has several, the
 * function throws `ClientError`.
 */
export type FindTarget = (targets: Targets, name: string) => FoundTarget | Promise<FoundTarget>;

export type FoundTarget = Target | undefined;

export interface FindTargetOptions extends Pick<GatewayOptions, 'credentials' | 'env' | 'world' | 'modelAdvice'> {
  readonly http: HttpSender;
  readonly wires: Promise<Wires>;
}

export function createTargetFinder(options: FindTargetOptions): FindTarget {
  const { world, modelAdvice } = options;
  const listNames = async (provider: Provider): Promise<readonly string[]> => {
    const listed = await listedBy(provider, { ...options, wires: await options.wires });
    return listed.flatMap(({ id }) => (typeof id === 'string' && id !== '' ? [id] : []));
  };
  const lists = new WeakMap<Provider, NameList>();
  const namesOf = (provider: Provider) => {
    const known = lists.get(provider);
    if (known !== undefined && known.until > world.now()) return known.names;
    const names = listNames(provider);
    lists.set(provider, { names, until: world.now() + KEPT_MS });
    return names;
  };
  const findStray = async (targets: Targets, name: string, found: FoundTarget): Promise<FoundTarget> => {
    const provider = targets.defaultProvider;
    const all = provider === undefined ? targets.names : await namesOf(provider);
    const [only, ...others] = answeringModels(all);
    if (only === undefined || all.includes(name)) return found;
    if (others.length > 0) throw severalModels(name, [only, ...others], modelAdvice);
    return found && { ...found, model: only };
  };
  return (targets, name) => {
    const found = targets.find(name);
    return targets.isStray?.(name) === true ? findStray(targets, name, found) : found;
  };
}

interface NameList {
  readonly names: Promise<readonly string[]>;
  readonly until: number;
}

/** Time for which a list is used. A server may load another model. */
const KEPT_MS = 15_000;

/** Returns the models that can answer. Many servers list others too. */
export function answeringModels(names: readonly string[]): readonly string[] {
  return names.filter((name) => !/embed|rerank/i.test(name));
}

const MOST_SHOWN = 20;

function severalModels(name: string, models: readonly string[], advice = ''): ClientError {
  const more = models.length > MOST_SHOWN ? ` and ${models.length - MOST_SHOWN} more` : '';
  const listed = `${models.slice(0, MOST_SHOWN).join(', ')}${more}`;
  const said = `The server has no model ${JSON.stringify(name)}. It has: ${listed}.`;
  const choose = 'Ask for one of them, or set model = "NAME" in [gateway] of config.toml for names like this one.';
  return new ClientError([said, choose, advice].join(' ').trimEnd(), {
    status: 404,
    code: 'model_not_found',
    param: 'model',
  });
}
