import { createServers } from '../servers.ts';
import type { CodexOptions } from './codex-options.ts';
import { CodexThread } from './thread.ts';
import type { CodexThreadOptions } from './thread-options.ts';

/** The class of the Codex SDK, in process. A program written for `@openai/codex-sdk` only has to change its import. */
export class Codex {
  readonly #options: CodexOptions;
  readonly #servers = createServers();

  constructor(options: CodexOptions = {}) {
    this.#options = options;
  }

  /** Returns a new thread. Nothing happens before its first turn. */
  startThread(options: CodexThreadOptions = {}): CodexThread {
    return new CodexThread({ codex: this.#options, servers: this.#servers }, options, null);
  }

  /** Returns a thread of an earlier process. Its first turn throws `UserError` when there is no such thread. */
  resumeThread(id: string, options: CodexThreadOptions = {}): CodexThread {
    return new CodexThread({ codex: this.#options, servers: this.#servers }, options, id);
  }
}
