import type { Lesson } from '../adapt/refusals/rule.ts';
import type { Provider } from '../base/provider.ts';
import type { Compat, WireName } from '../base/wire.ts';
import type { RepairOptions } from '../repair/repair-stream.ts';
import { wiresToTry } from '../wire/registry.ts';

/** Lessons about servers. All senders of requests share them: the threads of agents, or the clients of a gateway. */
export interface ServerMemory {
  of(target: ServedModel): TargetMemory;
  /**
   * Returns the wires of a provider in the order to try them. Where the server may speak any, the wanted wire comes
   * first.
   */
  wiresOf(provider: Provider, wanted?: WireName): readonly [WireName, ...WireName[]];
  /** Remembers that a server does not have a wire. */
  lacks(provider: Provider, wire: WireName): void;
  /** Returns whether a server has ever answered. The caller sets it. */
  linkOf(provider: Provider): { reached: boolean };
}

/** A model of a provider. */
export interface ServedModel {
  readonly provider: Provider;
  readonly model: string;
  /** Whether the client accepts only the first call of a response. */
  readonly singleCall?: boolean;
}

/** Lessons about one model of one provider. */
export interface TargetMemory {
  readonly repair: RepairOptions['memory'];
  /** The settings of the provider, changed by the lessons so far. */
  readonly compat: Compat;
  /** All lessons so far, each once, in order. */
  readonly lessons: readonly Lesson[];
  /** Remembers a lesson that has proved right. */
  learn(lesson: Lesson): void;
}

export function createServerMemory(): ServerMemory {
  const learned = new Map<string, Learned>();
  const lacking = new Map<string, Set<WireName>>();
  const links = new Map<string, { reached: boolean }>();
  return {
    of({ provider, model, singleCall = false }) {
      const known = recent(learned, `${provider.id}\n${provider.baseUrl}\n${model}`, () => ({
        repair: { startsThinking: false },
        patch: NOTHING,
        lessons: [],
      }));
      return {
        repair: known.repair,
        compat: compatOf(provider.compat, known.patch, singleCall),
        lessons: known.lessons,
        learn(lesson) {
          known.patch = { ...known.patch, ...lesson.patch };
          // Requests that were sent at the same time are refused for the same reason.
          if (known.lessons.every(({ reason }) => reason !== lesson.reason)) known.lessons.push(lesson);
        },
      };
    },
    wiresOf(provider, wanted) {
      const { wire, baseUrl } = provider;
      const [first, ...others] = wiresToTry(provider, wanted);
      const [known = first, ...rest] = [first, ...others].filter((name) => lacking.get(baseUrl)?.has(name) !== true);
      return wire === 'auto' ? [known, ...rest] : [first];
    },
    lacks({ baseUrl }, wire) {
      lacking.set(baseUrl, (lacking.get(baseUrl) ?? new Set()).add(wire));
    },
    linkOf: ({ baseUrl }) => recent(links, baseUrl, () => ({ reached: false })),
  };
}

const NOTHING: Lesson['patch'] = {};

interface Learned {
  readonly repair: RepairOptions['memory'];
  patch: Lesson['patch'];
  readonly lessons: Lesson[];
}

function compatOf(compat: Compat, patch: Lesson['patch'], singleCall: boolean): Compat {
  if (patch === NOTHING && !singleCall) return compat;
  return { ...compat, parallelToolCalls: compat.parallelToolCalls && !singleCall, ...patch };
}

/** Limits the number of entries: clients of a gateway choose the names of models. */
const MAX_KNOWN = 1000;

function recent<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key);
  // The order of use matters only when the oldest entry will soon be dropped.
  if (known !== undefined && map.size < MAX_KNOWN / 2) return known;
  const value = known ?? make();
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_KNOWN && oldest !== undefined) map.delete(oldest);
  return value;
}
