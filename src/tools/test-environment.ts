import { resolve } from 'node:path';
import type { CommandAction } from '../base/action.ts';
import type { CallEnvironment, Collected, Terminal } from '../base/environment.ts';
import type { ToolCall, View } from '../base/tool.ts';

/** Returns a function call for tests. */
export function functionCall(name: string, args: unknown): ToolCall {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return { callId: 'call', name, payload: { kind: 'function', arguments: text } };
}

/** View of a machine without files, for tests. */
export const BARE_VIEW: View = {
  cwd: '/project',
  shell: '/bin/bash',
  repairArgv: true,
  resolve: (path) => resolve('/project', path),
  files: {
    locate: async (path) => path,
    read: () => Promise.reject(new Error('no files here')),
    isInGit: async () => false,
  },
  inputs: { images: true, originalImages: true },
};

/** Returns an environment for tests whose commands all end in the same way, with a record of its calls. */
export function endingEnvironment(collected: Collected, limitBytes = 10_000) {
  const opened: CommandAction[] = [];
  const waits: number[] = [];
  const killed: number[] = [];
  const terminal: Terminal = {
    id: 1000,
    async collect(yieldMs) {
      waits.push(yieldMs);
      return collected;
    },
    write: async () => {},
    resize() {},
    async kill() {
      killed.push(1000);
    },
  };
  const none = () => Promise.reject(new Error('not in this test'));
  const environment: CallEnvironment = {
    signal: new AbortController().signal,
    threadId: 'thread',
    callId: 'call',
    context: undefined,
    textLimit: { unit: 'bytes', limit: limitBytes },
    chunkId: () => 'abcdef',
    async open(action) {
      opened.push(action);
      return terminal;
    },
    terminal: () => terminal,
    read: none,
    change: none,
    sample: none,
    progress() {},
    warn() {},
    showPlan() {},
  };
  return { environment, opened, waits, killed };
}
