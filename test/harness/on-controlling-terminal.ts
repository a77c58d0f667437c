import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { loadPtyBinding } from '../../src/node-internals/load-pty-binding.ts';
import { readAll } from './read-all.ts';
import { cleanEnvironment } from './run-oxbow.ts';
import type { Scene } from './scene.ts';
import { type ConfigTable, scriptedConfig } from './scripted-config.ts';

export interface ControllingTerminalOptions extends Pick<Scene, 'workspace' | 'model'> {
  readonly config?: ConfigTable;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

export interface ScriptOnTerminal {
  /** Types a text. */
  type(text: string): void;
  /** Resolves with everything that was printed so far, once that holds the text `times` times. */
  printed(text: string, times?: number): Promise<string>;
  /** Ends the terminal, as closing its window does. */
  hangUp(): void;
  /** Sends a signal to the program. */
  kill(signal: NodeJS.Signals): void;
  /** Returns the settings of the terminal as `stty -g` prints them. */
  settings(): string;
  /** Resolves when the program has ended. */
  wait(): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly text: string }>;
}

/** Runs a script of bash in a session of its own, whose controlling terminal is a new pseudo-terminal. */
export async function onControllingTerminal(
  script: string,
  { workspace, model, config, env, columns = 80, rows = 24 }: ControllingTerminalOptions,
): Promise<ScriptOnTerminal> {
  workspace.configure(scriptedConfig(model.url, config));
  const { master, slave, pty } = (await loadPtyBinding()).open(columns, rows);
  const watched = openSync(pty, constants.O_RDWR | constants.O_NOCTTY);
  closeSync(slave);
  // The first terminal that the leader of a session opens becomes its controlling terminal.
  const child = spawn('/bin/bash', ['-c', `exec <>${pty} >&0 2>&0; ${script}`], {
    cwd: workspace.path,
    env: { ...cleanEnvironment(workspace), TERM: 'xterm-256color', NO_COLOR: '1', ...env },
    stdio: 'ignore',
    detached: true,
  });
  let text = '';
  let open = true;
  const decoder = new TextDecoder();
  const collect = () => {
    if (open) text += decoder.decode(readAll(master), { stream: true });
    return text;
  };
  const reading = setInterval(collect, 10);
  let ended = false;
  const end = once(child, 'exit').then(([code, signal]) => {
    ended = true;
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, text: collect() };
  });
  const hangUp = () => {
    if (open) for (const descriptor of [watched, master]) closeSync(descriptor);
    open = false;
  };
  onTestFinished(() => {
    clearInterval(reading);
    if (!ended) child.kill('SIGKILL');
    hangUp();
  });
  return {
    type: (typed) => void writeSync(master, typed),
    async printed(wanted, times = 1) {
      const since = Date.now();
      while (collect().split(wanted).length <= times) {
        // Before the test times out, so that its failure shows the screen.
        if (Date.now() - since > 20_000) throw new Error(`Not printed: ${JSON.stringify(wanted)} in:\n${text}`);
        if (ended) throw new Error(`The program ended without ${JSON.stringify(wanted)}:\n${text}`);
        await delay(10);
      }
      return text;
    },
    hangUp,
    kill: (signal) => void child.kill(signal),
    settings: () => spawnSync('stty', ['-g'], { stdio: [watched, 'pipe', 'inherit'], encoding: 'utf8' }).stdout,
    wait: () => end,
  };
}
