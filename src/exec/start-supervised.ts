import { closeSync } from 'node:fs';
import { inputClosed } from './input-closed.ts';
import { signal } from './kill-tree.ts';
import type { OutputPipe } from './output-pipes.ts';
import { readOutput } from './read-output.ts';
import type { Launch } from './sandbox/launch.ts';
import { spawnFailure } from './spawn-failure.ts';
import { INTERRUPT, type ProcessEvents, type StartedProcess } from './start-process.ts';
import type { SupervisedCommand, Supervisor } from './supervisor/create-supervisor.ts';

export interface SupervisedOptions extends Pick<SupervisedCommand, 'cwd' | 'env'> {
  readonly launch: Launch;
  readonly supervisor: Supervisor;
  readonly pipe: OutputPipe;
}

const KILLED = 137;
const POLL_MS = 200;

/** Starts a process without input through a supervisor. Throws `ToolFailure`. */
export async function startSupervised(options: SupervisedOptions, events: ProcessEvents): Promise<StartedProcess> {
  const { supervisor, pipe, launch, cwd, env } = options;
  const waiting: (() => void)[] = [];
  let exited = false;
  const onEnd = (exitCode: number) => {
    if (exited) return;
    exited = true;
    launch.end();
    for (const then of waiting.splice(0)) then();
    events.exited(exitCode);
  };
  const argv = launch.argv.slice(launch.commandAt);
  const request = { cwd, argv, env: { ...env, ...launch.env }, confine: launch.confine ?? [], output: pipe.writer };
  const command = await supervisor.start(request, onEnd).catch((error) => {
    pipe.abandon();
    launch.end();
    throw spawnFailure(error);
  });
  closeSync(pipe.writer);
  const whenExited = (then: () => void) => {
    if (exited) then();
    else waiting.push(then);
  };
  const socket = readOutput(pipe, whenExited, {
    ...events,
    outputEnded() {
      events.outputEnded();
      // A command without a sandbox can kill even its supervisor, which then tells nothing any more.
      const poll = setInterval(() => {
        if (!exited && !isThere(command.supervisor)) onEnd(KILLED);
        if (exited) clearInterval(poll);
      }, POLL_MS);
      whenExited(() => clearInterval(poll));
    },
  });
  return {
    pid: command.supervisor,
    isSupervised: true,
    write(chars) {
      if (chars !== INTERRUPT) throw inputClosed();
      if (!exited) signal(-command.pid, 'SIGINT');
    },
    abandonOutput: () => socket.unref(),
  };
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
