import type { Environment, Files } from '../../base/environment.ts';
import type { LogLine, SessionMeta, TurnContext } from '../../base/log.ts';
import type { Model } from '../../base/model.ts';
import type { Policy, SandboxMode } from '../../base/policy.ts';
import type { PrefixCause } from '../../base/prefix-cause.ts';
import type { ToolSnapshot, View } from '../../base/tool.ts';
import type { PrefixChange } from '../request/prefix.ts';
import type { ThreadSetup, TurnSetup, WorkspaceSnapshot } from '../turn-setup.ts';
import type { Playback } from './playback.ts';
import { recordedSections } from './recorded-sections.ts';
import { replayCompaction } from './replay-compaction.ts';
import { replayLog } from './replay-log.ts';
import { replayModel } from './replay-model.ts';
import { replayPerform } from './replay-perform.ts';
import { replayWorld } from './replay-world.ts';
import type { TurnFacts } from './turn-facts.ts';

export interface ReplayParts {
  readonly playback: Playback;
  readonly meta: SessionMeta;
  /** Returns the facts of the running turn. */
  facts(): TurnFacts;
}

/** Returns the parts of a replayed thread. They come only from its log. */
export function replaySetup(parts: ReplayParts): ThreadSetup {
  const { playback, meta } = parts;
  const lines = new WeakMap<object, number>();
  const model = replayModel(playback, (call, line) => lines.set(call, line));
  return {
    id: meta.id,
    originator: meta.originator,
    source: meta.source,
    version: meta.cli_version,
    metadata: meta.oxbow_metadata,
    world: replayWorld(playback),
    log: replayLog(playback),
    perform: replayPerform(playback, (call) => lines.get(call) ?? 0),
    turn: async () => replayTurn(parts, model),
    userSetup: nothingRuns,
    snapshotWorkspace: async () => recordedSnapshot(playback),
    gitDiff: nothingRuns,
    environment: NO_ENVIRONMENT,
    showPath: (path) => path,
    emit() {},
  };
}

function replayTurn({ playback, meta, facts }: ReplayParts, model: Model): TurnSetup {
  const { context, compacts, instructions } = facts();
  // An ordinary turn gets new instructions as an option. A turn that only compacts can get them only as those that the
  // user chose.
  const chosen = compacts ? instructions : undefined;
  return {
    model,
    providerId: context?.model_provider ?? meta.model_provider,
    keyFrom: context?.oxbow_key_from,
    prompt: {
      instructions: chosen ?? meta.base_instructions?.text ?? '',
      chosen: chosen !== undefined,
      sections: () => recordedSections(playback),
    },
    tools: () => recordedTools(playback),
    policy: policyIn(context ?? NO_CONTEXT),
    view: viewIn(context?.cwd ?? meta.cwd),
    request: requestIn(context ?? NO_CONTEXT),
    price() {
      const end = playback.expected.nextOwn('request.ended');
      return end?.cost ?? end?.counted_cost ?? null;
    },
    compaction: replayCompaction(playback),
    window: null,
    imageInput: true,
    // The next lines show whether the previous model could see images.
    seesImages: () => !changesAhead(playback).some(({ cause }) => cause === 'images'),
    get forgetsReasoning() {
      return isChange('reasoning', playback.expected.ahead()?.line);
    },
    judge: nothingRuns,
    textLimit: { unit: 'tokens', limit: Number.MAX_SAFE_INTEGER },
    showRawReasoning: false,
  };
}

const NO_CONTEXT: TurnContext = {
  turn_id: '',
  cwd: '/',
  approval_policy: 'never',
  sandbox_policy: { type: 'read-only' },
  model: '',
  summary: 'none',
};

/** Returns the policy that a `turn_context` line records. */
function policyIn({ approval_policy, sandbox_policy }: TurnContext): Policy {
  const { type, writable_roots, network_access } = sandbox_policy as Readonly<Record<string, unknown>>;
  const { granular } = (typeof approval_policy === 'string' ? {} : approval_policy) as {
    readonly granular?: Readonly<Record<string, boolean>>;
  };
  return {
    approval: granular
      ? { sandbox: !!granular.sandbox_approval, rules: !!granular.rules, mcp: !!granular.mcp_elicitations }
      : (approval_policy as Policy['approval']),
    sandbox: {
      mode: type as SandboxMode,
      writableRoots: (writable_roots ?? []) as readonly string[],
      network: network_access as boolean,
    },
  };
}

function isChange(cause: PrefixCause, line: LogLine | undefined): boolean {
  return line?.type === 'oxbow' && line.payload.kind === 'prefix.changed' && line.payload.cause === cause;
}

/** Returns tools of which only the digest is known. It is the digest in the next lines, or the one from before. */
function recordedTools(playback: Playback): ToolSnapshot {
  const changed = changesAhead(playback).find(({ tools }) => tools !== undefined)?.tools;
  return { offered: [], digest: changed ?? playback.thread?.state.tools ?? '', find: () => undefined };
}

/** Returns the changes of the prefix that are recorded before the next request, and before the turn has begun. */
function changesAhead({ expected }: Playback): readonly PrefixChange[] {
  const changes: PrefixChange[] = [];
  for (let at = 0; ; at++) {
    const line = expected.ahead(at)?.line;
    if (!line || line.type === 'turn_context' || isRequest(line)) return changes;
    if (line.type === 'oxbow' && line.payload.kind === 'prefix.changed') changes.push(line.payload);
  }
}

function isRequest(line: LogLine): boolean {
  return line.type === 'oxbow' && line.payload.kind === 'request.started';
}

function viewIn(cwd: string): View {
  return {
    cwd,
    shell: '',
    repairArgv: false,
    resolve: (path) => path,
    files: NO_FILES,
    inputs: { images: true, originalImages: false },
  };
}

function requestIn({ model, effort, summary }: TurnContext): TurnSetup['request'] {
  return {
    model,
    toolChoice: 'auto',
    parallelToolCalls: true,
    reasoning: { ...(effort === undefined ? {} : { effort }), summary },
    store: false,
    include: [],
  };
}

function recordedSnapshot({ expected }: Playback): WorkspaceSnapshot {
  const line = expected.snapshotBetween(0, Number.POSITIVE_INFINITY)?.line;
  if (line?.type !== 'oxbow' || line.payload.kind !== 'snapshot') return { reason: 'nothing is recorded' };
  const { tree, reason = '' } = line.payload;
  return tree === null ? { reason } : { tree };
}

async function nothingRuns(): Promise<never> {
  throw new Error('Nothing is run in a replay.');
}

const NO_FILES: Files = { locate: nothingRuns, read: nothingRuns, isInGit: nothingRuns, change: nothingRuns };

const NO_ENVIRONMENT: Environment = {
  prepare() {},
  open: nothingRuns,
  terminal: () => undefined,
  files: () => NO_FILES,
  rest() {},
  async close() {},
};
