import type { Provider } from '../base/provider.ts';
import type { Compat } from '../base/wire.ts';
import type { Lesson } from '../wire/adapt/refusals/rule.ts';
import type { RepairOptions } from '../wire/repair/repair-stream.ts';
import type { ExchangeWire } from './exchange-wire.ts';
import type { Target } from './target.ts';

/** What earlier exchanges taught of the servers. Lives as long as the gateway. */
export interface ModelMemory {
  of(target: Target): TargetMemory;
  /** The wires of a provider for a client of one of them, the first to be tried first. */
  wiresOf(provider: Provider, client: ExchangeWire): readonly ExchangeWire[];
  /** A server has no such wire. */
  lacks(provider: Provider, wire: ExchangeWire): void;
  /** Whether a server has ever answered. */
  linkOf(provider: Provider): { reached: boolean };
}

/** Of one model of one provider. */
export interface TargetMemory {
  readonly repair: RepairOptions['memory'];
  /** What the provider says of its server, and what was learned of it. */
  readonly compat: Compat;
  learn(lesson: Lesson): void;
}

export function createModelMemory(): ModelMemory {
  const learned = new Map<string, Learned>();
  const lacking = new Map<string, ExchangeWire>();
  const links = new Map<string, { reached: boolean }>();
  return {
    of({ provider, model }) {
      const known = recent(learned, JSON.stringify([provider.id, provider.baseUrl, model]), () => ({
        repair: { startsThinking: false },
        patch: {},
      }));
      return {
        repair: known.repair,
        get compat() {
          return { ...provider.compat, ...known.patch };
        },
        learn({ patch }) {
          known.patch = { ...known.patch, ...patch };
        },
      };
    },
    wiresOf({ wire, baseUrl }, client) {
      if (wire !== 'auto') return [wire];
      const other = client === 'chat' ? 'responses' : 'chat';
      return [client, other].filter((known): known is ExchangeWire => known !== lacking.get(baseUrl));
    },
    lacks: ({ baseUrl }, wire) => lacking.set(baseUrl, wire),
    linkOf: ({ baseUrl }) => recent(links, baseUrl, () => ({ reached: false })),
  };
}

interface Learned {
  readonly repair: RepairOptions['memory'];
  patch: Lesson['patch'];
}

/** Names of models are the clients' words: there may be any number of them. */
const MAX_KNOWN = 1000;

function recent<T>(map: Map<string, T>, key: string, make: () => T): T {
  const value = map.get(key) ?? make();
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_KNOWN && oldest !== undefined) map.delete(oldest);
  return value;
}
