import type { Ask } from '../../base/event.ts';
import type { QueuedInput } from '../../base/input.ts';
import type { CallItem, CallOutputItem, HostedItem, Item, ReasoningItem } from '../../base/item.ts';
import type { OutputMetadata, SessionMeta, SuspendedAsk, TurnContext, UntoldCommand } from '../../base/log.ts';
import type { SectionName } from '../../base/section.ts';
import { NO_USAGE, type Usage } from '../../base/usage.ts';

/** The state of a thread: a fold over its log. It is the same for a running thread and for one just read from disk. */
export interface ThreadState {
  meta: SessionMeta | null;
  /** Items that the next request sends. Only grows at its end, except for the causes that `prefix.changed` names. */
  readonly history: Item[];
  /** Digest of the history. */
  digest: number;
  /** Ids of the items and calls in the history. */
  readonly itemIds: Set<string>;
  readonly callIds: Set<string>;
  /** Calls without an output in the history, in their order, by their ids there. */
  readonly openCalls: Map<string, OpenCall>;
  /** Calls whose output reports a failure. */
  readonly failedCalls: Set<string>;
  /** Tokens of the whole thread, across resumes. */
  usage: Usage;
  /** Last count of the server. Null if there is no count since the history was replaced. */
  counted: TokenCount | null;
  turns: number;
  requests: number;
  /**
   * Whether the current turn has a request of ours since the last compaction. Other programs do not record that a call
   * has started.
   */
  isOwnTurn: boolean;
  /** Context of the last turn. */
  lastTurn: TurnContext | null;
  /** Providers whose servers made the hosted items and the reasoning of the history. */
  readonly madeBy: WeakMap<HostedItem | ReasoningItem, string>;
  /** Base instructions. Null before the thread has begun. */
  instructions: string | null;
  /** Digest of the tools that were offered last. */
  tools: string | null;
  /** Whether turns were removed since the last request. */
  rolledBack: boolean;
  /**
   * Reasoning since the user's last message: `none`, `new` if no request has contained it, `sent` if one has. `past`:
   * the user wrote a message after reasoning was sent.
   */
  reasoning: 'none' | 'new' | 'sent' | 'past';
  /** Last text of each section that the model got. */
  readonly told: Map<SectionName, string>;
  /** Input that waits for the next request. */
  readonly queue: QueuedInput[];
  /** Commands of the user that the model has not got yet, by id. */
  readonly commands: Map<string, UntoldCommand>;
  /** Ids of suspended questions that are no longer open, since the history was replaced. */
  readonly closedAsks: Set<string>;
}

/** The tokens that a response counted: its request and itself. */
export interface TokenCount {
  readonly tokens: number;
  /** Number of items of the history that were counted. */
  readonly items: number;
  /** Smallest count since the history was replaced. */
  readonly least: number;
  /** A count that all counts since have been close to, and their number. */
  readonly steady: { readonly tokens: number; readonly counts: number };
}

/** A call without an output yet. */
export interface OpenCall {
  /** The call as the model made it. */
  readonly item: CallItem;
  /** Id in the history. It differs from the model's id if that id was taken. */
  readonly id: string;
  /** `requested`: the call certainly had no effect yet. `started`: it may have had one. */
  status: 'requested' | 'started';
  /** Set if the call started and changes nothing. */
  readOnly?: true;
  /** Set if the call ended before its output could go into the history. */
  finished?: { readonly output: CallOutputItem; readonly metadata: OutputMetadata };
  /** The question that keeps the call from starting. */
  suspended?: SuspendedAsk;
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
    isOwnTurn: false,
    lastTurn: null,
    madeBy: new WeakMap(),
    instructions: null,
    tools: null,
    rolledBack: false,
    reasoning: 'none',
    told: new Map(),
    queue: [],
    commands: new Map(),
    closedAsks: new Set(),
  };
}

/** Returns the suspended questions of a thread that are still open, in the order of their calls. */
export function openAsks({ openCalls }: Pick<ThreadState, 'openCalls'>): readonly Ask[] {
  return [...openCalls.values()].flatMap(({ suspended }) => suspended?.ask ?? []);
}

/** Returns the provider of the last turn, or null if it is unknown. */
export function lastProvider({ lastTurn, meta }: Pick<ThreadState, 'lastTurn' | 'meta'>): string | null {
  return lastTurn?.model_provider ?? meta?.model_provider ?? null;
}
