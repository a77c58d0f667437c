import type { Provider } from '../base/provider.ts';
import type { Compat } from '../base/wire.ts';
import { type AdaptCompat, DEFAULT_ADAPT_COMPAT } from '../wire/adapt/adapt-compat.ts';
import type { Lesson } from '../wire/adapt/refusals/rule.ts';
import type { RepairOptions } from '../wire/repair/repair-stream.ts';
import type { ExchangeWire } from './exchange-wire.ts';
import type { Target } from './target.ts';

/** All settings of a server. */
export type ServerCompat = Compat & AdaptCompat;

/** What earlier exchanges taught of the servers. Lives as long as the gateway. */
export interface ModelMemory {
  of(target: Target): TargetMemory;
  /** The wires of a provider, the first to be tried first. */
  wiresOf(provider: Provider): readonly ExchangeWire[];
  /** A server that speaks any wire has answered on this one. */
  settle(provider: Provider, wire: ExchangeWire): void;
  /** Whether a server has ever answered. */
  linkOf(provider: Provider): { reached: boolean };
}

/** Of one model of one provider. */
export interface TargetMemory {
  readonly repair: RepairOptions['memory'];
  /** What the provider says of its server, and what was learned of it. */
  readonly compat: ServerCompat;
  learn(lesson: Lesson): void;
}

export function createModelMemory(): ModelMemory {
  const learned = new Map<string, Learned>();
  const wires = new Map<string, ExchangeWire>();
  const links = new Map<string, { reached: boolean }>();
  return {
    of({ provider, model }) {
      const known = entry(learned, JSON.stringify([provider.id, provider.baseUrl, model]), () => ({
        repair: { startsThinking: false },
        patch: {},
      }));
      return {
        repair: known.repair,
        get compat() {
          return { ...DEFAULT_ADAPT_COMPAT, ...provider.compat, ...known.patch };
        },
        learn({ patch }) {
          known.patch = { ...known.patch, ...patch };
        },
      };
    },
    wiresOf({ wire, baseUrl }) {
      if (wire !== 'auto') return [wire];
      const settled = wires.get(baseUrl);
      return settled === undefined ? ['responses', 'chat'] : [settled];
    },
    settle: ({ wire, baseUrl }, answered) => {
      if (wire === 'auto' && answered === 'chat') wires.set(baseUrl, answered);
    },
    linkOf: ({ baseUrl }) => entry(links, baseUrl, () => ({ reached: false })),
  };
}

interface Learned {
  readonly repair: RepairOptions['memory'];
  patch: Lesson['patch'];
}

function entry<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
