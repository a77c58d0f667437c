import type { Provider } from '../base/provider.ts';
import type { Config } from '../config/load-config.ts';
import { configuredEntry } from '../model/models.ts';
import { isForeignName } from './foreign-names.ts';
import type { Target, Targets } from './target.ts';

export interface TargetSources {
  /** The user's facts about models. */
  readonly facts: Config['models'];
  readonly routes: ReadonlyMap<string, Target>;
  readonly aliases: ReadonlyMap<string, string>;
  /** Gets the requests for all names without an entry. */
  readonly provider: Provider | undefined;
  /** Gets the requests for names that only clients know. */
  readonly fallback: Target | undefined;
  /** For targets that do not set it themselves. */
  readonly singleCall: boolean;
}

export function createTargets({ facts, routes, aliases, provider, fallback, singleCall }: TargetSources): Targets {
  // A fallback that is a route is already listed by the route's name.
  const standard = fallback !== undefined && fallback.provider === provider ? [fallback.model] : [];
  const names = [...routes.keys(), ...aliases.keys(), ...standard];
  const isForeign = (name: string) => !routes.has(name) && isForeignName(name, provider);
  return {
    names: [...new Set(names)],
    defaultProvider: provider,
    find(asked) {
      const target = findTarget(aliases.get(asked) ?? asked);
      return target && { singleCall, facts: configuredEntry(facts, target.provider.id, target.model), ...target };
    },
    isStray: (asked) => fallback === undefined && isForeign(aliases.get(asked) ?? asked),
  };
  function findTarget(name: string): Target | undefined {
    const route = routes.get(name);
    if (route !== undefined) return route;
    if (fallback !== undefined && isForeign(name)) return fallback;
    return provider === undefined ? undefined : { provider, model: name };
  }
}
