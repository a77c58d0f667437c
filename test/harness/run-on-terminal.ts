import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { loadPtyBinding } from '../../src/node-internals/load-pty-binding.ts';
import type { ScriptedModel, TempWorkspace } from '../../src/testing/index.ts';
import { readAll } from './read-all.ts';
import { cleanEnvironment, PROGRAM } from './run-oxbow.ts';
import { type ConfigTable, scriptedConfig } from './scripted-config.ts';

export interface OnTerminalOptions {
  readonly workspace: TempWorkspace;
  readonly model: Pick<ScriptedModel, 'url'>;
  readonly config?: ConfigTable;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface TerminalRun {
  /** Resolves when the program has printed the text. Rejects when the program ends without it. */
  printed(text: string | RegExp): Promise<void>;
  /** Types a text. */
  type(text: string): void;
  /** Resolves with everything that was printed. */
  wait(): Promise<{ readonly code: number | null; readonly text: string }>;
}

/** Starts the real program with a terminal as its input, output and errors. */
export async function runOnTerminal(args: readonly string[], options: OnTerminalOptions): Promise<TerminalRun> {
  const { workspace, model, config, columns = 80, env } = options;
  workspace.configure(scriptedConfig(model.url, config));
  const { master, slave, pty } = (await loadPtyBinding()).open(columns, 24);
  const inner = openSync(pty, constants.O_RDWR | constants.O_NOCTTY);
  closeSync(slave);
  const child = spawn(PROGRAM, args, {
    cwd: workspace.path,
    env: { ...cleanEnvironment(workspace), TERM: 'xterm-256color', ...env },
    stdio: [inner, inner, inner],
    detached: true,
  });
  let ended = false;
  let bytes = Buffer.alloc(0);
  const collect = () => {
    bytes = Buffer.concat([bytes, readAll(master)]);
    return bytes.toString();
  };
  // A full terminal would stop the program, so the terminal is read all the time.
  const reading = setInterval(collect, 20);
  const end = once(child, 'exit').then(([code]: (number | null)[]) => {
    clearInterval(reading);
    const text = collect();
    closeSync(inner);
    closeSync(master);
    ended = true;
    return { code: code ?? null, text };
  });
  return {
    async printed(wanted) {
      const has = () => (typeof wanted === 'string' ? bytes.includes(wanted) : wanted.test(bytes.toString()));
      while (!has()) {
        if (ended) throw new Error(`The program ended without ${wanted}:\n${bytes.toString()}`);
        await delay(20);
      }
    },
    type: (text) => void writeSync(master, text),
    wait: () => end,
  };
}
