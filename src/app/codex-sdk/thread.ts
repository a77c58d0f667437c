import { UserError } from '../../base/errors.ts';
import type { InputPart } from '../../base/input.ts';
import { createExecEvents, type ExecEvent, type ExecItem, type ExecUsage } from '../../events/exec-events.ts';
import { type Agent, createAgent } from '../agent.ts';
import type { Servers } from '../servers.ts';
import type { Thread as NativeThread } from '../thread/thread.ts';
import type { CodexOptions } from './codex-options.ts';
import { agentOptions, type CodexThreadOptions } from './thread-options.ts';

export type UserInput =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'local_image'; readonly path: string };
export type CodexInput = string | readonly UserInput[];

export interface TurnOptions {
  readonly outputSchema?: unknown;
  readonly signal?: AbortSignal;
}

export interface RunResult {
  readonly items: readonly ExecItem[];
  readonly finalResponse: string;
  readonly usage: ExecUsage | null;
}

export interface RunStreamedResult {
  readonly events: AsyncGenerator<ExecEvent, void, undefined>;
}

/** The parts of a `Codex` that its threads share. */
export interface SharedByThreads {
  readonly codex: CodexOptions;
  readonly servers: Servers;
}

/**
 * A thread of the Codex SDK. Processes that a turn leaves running end with the turn, as they do where each turn has a
 * process of its own.
 */
export class CodexThread {
  readonly #shared: SharedByThreads;
  readonly #options: CodexThreadOptions;
  #id: string | null;

  constructor(shared: SharedByThreads, options: CodexThreadOptions, id: string | null) {
    this.#shared = shared;
    this.#options = options;
    this.#id = id;
  }

  /** Null until the first turn has started. */
  get id(): string | null {
    return this.#id;
  }

  async runStreamed(input: CodexInput, options: TurnOptions = {}): Promise<RunStreamedResult> {
    return { events: this.#events(input, options) };
  }

  /** Throws when the turn fails. */
  async run(input: CodexInput, options: TurnOptions = {}): Promise<RunResult> {
    const items: ExecItem[] = [];
    let usage: ExecUsage | null = null;
    for await (const event of this.#events(input, options)) {
      if (event.type === 'item.completed') items.push(event.item);
      if (event.type === 'turn.completed') ({ usage } = event);
      if (event.type === 'turn.failed') throw new Error(event.error.message);
    }
    const answer = items.findLast((item) => item.type === 'agent_message');
    return { items, finalResponse: answer && 'text' in answer ? answer.text : '', usage };
  }

  async *#events(input: CodexInput, { signal, outputSchema }: TurnOptions): AsyncGenerator<ExecEvent, void, undefined> {
    signal?.throwIfAborted();
    const { codex, servers } = this.#shared;
    const agent = createAgent({ ...agentOptions(codex, this.#options), servers });
    try {
      const thread = await this.#open(agent);
      this.#id = thread.id;
      const project = createExecEvents();
      const turn = await thread.runStreamed(toInput(input), {
        uncheckedSchema: outputSchema,
        ...(signal ? { signal } : {}),
      });
      for await (const event of turn.events) yield* project(event);
      signal?.throwIfAborted();
    } finally {
      await agent.close();
    }
  }

  async #open(agent: Agent): Promise<NativeThread> {
    const { project } = agent.config;
    if (!this.#options.skipGitRepoCheck && project.root === null && !project.trusted) {
      throw new UserError('not_trusted', 'Not inside a trusted directory and skipGitRepoCheck was not set.');
    }
    return this.#id === null ? agent.startThread() : agent.resumeThread(this.#id);
  }
}

function toInput(input: CodexInput): string | InputPart[] {
  if (typeof input === 'string') return input;
  const text = input.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  return [
    ...input.filter((part) => part.type === 'local_image'),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
  ];
}
