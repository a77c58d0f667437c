import { UserError } from '../../base/errors.ts';
import type { InputPart } from '../../base/input.ts';
import { createExecEvents, type ExecEvent } from '../../events/exec-events.ts';
import { type Agent, createAgent } from '../agent.ts';
import type { Servers } from '../servers.ts';
import type { Thread as NativeThread } from '../thread/thread.ts';
import type { CodexOptions } from './codex-options.ts';
import type { CodexEvent, CodexUsage } from './events.ts';
import type { CodexItem } from './items.ts';
import { agentOptions, type CodexThreadOptions } from './thread-options.ts';

/** A part of an input. */
export type UserInput = { type: 'text'; text: string } | { type: 'local_image'; path: string };

/** An input: a text, or texts and images. */
export type CodexInput = string | UserInput[];

/** A program of OpenAI for work on security. */
export type CyberAccessProgram = 'standard' | 'daybreak_blue' | 'daybreak_red';

/** Options of one turn. */
export type TurnOptions = {
  /** Accepted and ignored: it selects a program of OpenAI. */
  cyberAccessProgram?: CyberAccessProgram;
  /** JSON schema of the final answer. */
  outputSchema?: unknown;
  /** Interrupts the turn. */
  signal?: AbortSignal;
};

/** A completed turn. */
export type RunResult = {
  /** Items completed in the turn, in order. */
  items: CodexItem[];
  /** Text of the last answer, or an empty text. */
  finalResponse: string;
  /** Tokens of the thread so far. */
  usage: CodexUsage | null;
};

/** A turn that runs. Leaving the loop over the events interrupts the turn. */
export type RunStreamedResult = { events: AsyncGenerator<CodexEvent> };

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

  /**
   * Runs one turn and yields its events as they happen.
   *
   * @example
   * const { events } = await thread.runStreamed('Repair the test.');
   * for await (const event of events) if (event.type === 'item.completed') console.log(event.item);
   */
  async runStreamed(input: CodexInput, options: TurnOptions = {}): Promise<RunStreamedResult> {
    return { events: this.#events(input, options) };
  }

  /**
   * Runs one turn to its end. Throws when the turn fails.
   *
   * @example
   * const { finalResponse } = await thread.run('Repair the test.');
   */
  async run(input: CodexInput, options: TurnOptions = {}): Promise<RunResult> {
    const items: CodexItem[] = [];
    let usage: CodexUsage | null = null;
    for await (const event of this.#events(input, options)) {
      if (event.type === 'item.completed') items.push(event.item);
      if (event.type === 'turn.completed') ({ usage } = event);
      if (event.type === 'turn.failed') throw new Error(event.error.message);
    }
    const answer = items.findLast((item) => item.type === 'agent_message');
    return { items, finalResponse: answer?.text ?? '', usage };
  }

  async *#events(input: CodexInput, { signal, outputSchema }: TurnOptions): AsyncGenerator<CodexEvent> {
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
      for await (const event of turn.events) yield* codexEvents(project(event));
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

/**
 * Returns the events that the SDK knows. Their values are those of `codex exec --json`, a few more than the types of the
 * SDK have, such as the status `declined`. The SDK passes these on too.
 */
function codexEvents(events: readonly ExecEvent[]): readonly CodexEvent[] {
  return events.filter(({ type }) => type !== 'repair') as readonly unknown[] as readonly CodexEvent[];
}

function toInput(input: CodexInput): string | InputPart[] {
  if (typeof input === 'string') return input;
  const text = input.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  return [
    ...input.flatMap((part) => (part.type === 'local_image' ? [{ ...part, optional: true }] : [])),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
  ];
}
