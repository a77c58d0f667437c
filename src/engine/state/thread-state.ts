import type { QueuedInput } from '../../base/input.ts';
import type { CallItem, CallOutputItem, HostedItem, Item } from '../../base/item.ts';
import type { OutputMetadata, SessionMeta, TurnContext } from '../../base/log.ts';
import type { SectionName } from '../../base/section.ts';
import { NO_USAGE, type Usage } from '../../base/usage.ts';

/** All that a thread knows: a fold over its log, the same whether the thread is running or was just read from disk. */
export interface ThreadState {
  meta: SessionMeta | null;
  /** What the next request sends. Grows at its end only, but for the causes that `prefix.changed` names. */
  readonly history: Item[];
  /** Stands for the history: differs whenever that does. */
  digest: number;
  /** Of the items and calls in the history. */
  readonly itemIds: Set<string>;
  readonly callIds: Set<string>;
  /** Calls without an output in the history, in call order, by the ids that they have there. */
  readonly openCalls: Map<string, OpenCall>;
  /** Calls whose output tells of a failure. */
  readonly failedCalls: Set<string>;
  /** The whole thread's tokens, across resumes. */
  usage: Usage;
  /** What the last response counted, and how long the history was then; null when nobody counted since it was replaced. */
  counted: { readonly tokens: number; readonly items: number } | null;
  turns: number;
  requests: number;
  /** Under which the last turn began. */
  lastTurn: TurnContext | null;
  /** The providers whose servers made the hosted items of the history. */
  readonly hostedBy: Map<HostedItem, string>;
  /** The base instructions; null before the thread has begun. */
  instructions: string | null;
  /** Stands for the tools that were offered last. */
  tools: string | null;
  /** Turns were taken back since the last request. */
  rolledBack: boolean;
  /** Since the user last spoke: none, some that no request has carried yet, some that one has. `past`: the user spoke after such. */
  reasoning: 'none' | 'new' | 'sent' | 'past';
  /** What the model was last told of each section. */
  readonly told: Map<SectionName, string>;
  /** Input that waits for the next request. */
  readonly queue: QueuedInput[];
}

export interface OpenCall {
  /** As the model gave it. */
  readonly item: CallItem;
  /** Its id in the history: another one where the model used one again. */
  readonly id: string;
  /** `requested`: it certainly had no effect yet. `started`: it may have had one. */
  status: 'requested' | 'started';
  /** Set when it started and changes nothing. */
  readOnly?: true;
  /** Set when it ended before its output could take its place in the history. */
  finished?: { readonly output: CallOutputItem; readonly metadata: OutputMetadata };
}

export function emptyState(): ThreadState {
  return {
    meta: null,
    history: [],
    digest: 0,
    itemIds: new Set(),
    callIds: new Set(),
    openCalls: new Map(),
    failedCalls: new Set(),
    usage: NO_USAGE,
    counted: null,
    turns: 0,
    requests: 0,
    lastTurn: null,
    hostedBy: new Map(),
    instructions: null,
    tools: null,
    rolledBack: false,
    reasoning: 'none',
    told: new Map(),
    queue: [],
  };
}

/** Returns the provider of the last turn; null where none is known. */
export function lastProvider({ lastTurn, meta }: Pick<ThreadState, 'lastTurn' | 'meta'>): string | null {
  return lastTurn?.model_provider ?? meta?.model_provider ?? null;
}
