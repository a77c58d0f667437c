import type { Channel } from '../output/channel.ts';
import { inputClosed } from '../output/input-closed.ts';
import { readOutput } from '../output/read-output.ts';
import type { ProcessEvents, StartedProcess } from '../output/started-process.ts';
import { signal } from '../process/kill-tree.ts';
import type { Launch } from '../process/launch.ts';
import { type CommandMark, commandGroup } from '../process/marked-process.ts';
import { spawnFailure } from '../process/spawn-failure.ts';
import type { SupervisedCommand, Supervisor } from '../supervisor/create-supervisor.ts';
import type { TakenSpare } from './spare-sandboxes.ts';
import { INTERRUPT } from './start-process.ts';

export interface SupervisedOptions extends Pick<SupervisedCommand, 'cwd' | 'env'> {
  readonly launch: Launch;
  readonly mark: CommandMark;
  readonly supervisor: Supervisor;
  readonly channel: Channel;
}

/** Returns a process that has become of a spare sandbox. */
export function startedInSpare(
  { started, output, whenEnded }: TakenSpare,
  launch: Launch,
  events: ProcessEvents,
): StartedProcess {
  whenEnded((exitCode) => {
    launch.end();
    events.exited(exitCode);
  });
  const reading = readOutput(output, (then) => whenEnded(() => then()), events);
  const signalGroup = (name: NodeJS.Signals) => void signal(-commandGroup(started.pid, launch), name);
  return {
    pid: started.supervisor,
    isSupervised: true,
    signal: signalGroup,
    async write(chars) {
      if (chars !== INTERRUPT) throw inputClosed();
      signalGroup('SIGINT');
    },
    abandonOutput: () => void reading.unref(),
  };
}

/** Starts a process through a supervisor. Throws `ToolFailure`. */
export async function startSupervised(options: SupervisedOptions, events: ProcessEvents): Promise<StartedProcess> {
  const { supervisor, channel, launch, mark, cwd } = options;
  const { keyboard } = channel;
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
  const output = { output: channel.inner, isTerminal: keyboard !== undefined };
  const env = { ...options.env, ...mark.variables, ...launch.env };
  const request = { cwd, argv, env, confine: launch.confine ?? [], ...output };
  const command = await supervisor.start(request, onEnd).catch((error) => {
    channel.abandon();
    launch.end();
    throw spawnFailure(error);
  });
  channel.handedOver();
  const whenExited = (then: () => void) => {
    if (exited) then();
    else waiting.push(then);
  };
  const reading = channel.read(whenExited, events);
  const signalGroup = (name: NodeJS.Signals) => {
    if (!exited) signal(-command.pid, name);
  };
  return {
    pid: command.supervisor,
    isSupervised: true,
    signal: signalGroup,
    ...keyboard,
    async write(chars) {
      if (keyboard !== undefined) return keyboard.write(chars);
      if (chars !== INTERRUPT) throw inputClosed();
      signalGroup('SIGINT');
    },
    abandonOutput: () => void reading.unref(),
  };
}
