import { createServers } from '../servers.ts';
import type { CodexOptions } from './codex-options.ts';
import { CodexThread } from './thread.ts';
import type { CodexThreadOptions } from './thread-options.ts';

/** The class of the Codex SDK, in process: a program written for `@openai/codex-sdk` needs another import, no more. */
export class Codex {
  readonly #options: CodexOptions;
  readonly #servers = createServers();

  constructor(options: CodexOptions = {}) {
    this.#options = options;
  }

  startThread(options: CodexThreadOptions = {}): CodexThread {
    return new CodexThread({ codex: this.#options, servers: this.#servers }, options, null);
  }

  resumeThread(id: string, options: CodexThreadOptions = {}): CodexThread {
    return new CodexThread({ codex: this.#options, servers: this.#servers }, options, id);
  }
}
