import type { Provider } from '../base/provider.ts';
import type { Compat } from '../base/wire.ts';
import type { Lesson } from '../wire/adapt/refusals/rule.ts';
import type { RepairOptions } from '../wire/repair/repair-stream.ts';
import type { ExchangeWire } from './exchange-wire.ts';
import type { Target } from './target.ts';

/** What earlier exchanges taught of the servers. Lives as long as the gateway. */
export interface ModelMemory {
  of(target: Target): TargetMemory;
  /** The wires of a provider, the first to be tried first: where it may be either, the one that is wanted. */
  wiresOf(provider: Provider, wanted: ExchangeWire): readonly ExchangeWire[];
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
    of({ provider, model, singleCall = false }) {
      const known = recent(learned, `${provider.id}\n${provider.baseUrl}\n${model}`, () => ({
        repair: { startsThinking: false },
        patch: NOTHING,
      }));
      return {
        repair: known.repair,
        compat: compatOf(provider.compat, known.patch, singleCall),
        learn({ patch }) {
          known.patch = { ...known.patch, ...patch };
        },
      };
    },
    wiresOf({ wire, baseUrl }, wanted) {
      if (wire !== 'auto') return [wire];
      const other = wanted === 'chat' ? 'responses' : 'chat';
      return [wanted, other].filter((known): known is ExchangeWire => known !== lacking.get(baseUrl));
    },
    lacks: ({ baseUrl }, wire) => lacking.set(baseUrl, wire),
    linkOf: ({ baseUrl }) => recent(links, baseUrl, () => ({ reached: false })),
  };
}

const NOTHING: Lesson['patch'] = {};

interface Learned {
  readonly repair: RepairOptions['memory'];
  patch: Lesson['patch'];
}

function compatOf(compat: Compat, patch: Lesson['patch'], singleCall: boolean): Compat {
  if (patch === NOTHING && !singleCall) return compat;
  return { ...compat, parallelToolCalls: compat.parallelToolCalls && !singleCall, ...patch };
}

/** Names of models are the clients' words: there may be any number of them. */
const MAX_KNOWN = 1000;

function recent<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key);
  // Who was asked for last matters when somebody has to go before long.
  if (known !== undefined && map.size < MAX_KNOWN / 2) return known;
  const value = known ?? make();
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_KNOWN && oldest !== undefined) map.delete(oldest);
  return value;
}
