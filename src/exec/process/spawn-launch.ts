import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { Writable } from 'node:stream';
import type { Launch } from './launch.ts';
import type { LeakedDescriptors } from './leaked-descriptors.ts';
import { checkStdio, type Stdio, withoutTerminals } from './terminal-descriptors.ts';

export interface LaunchSettings {
  readonly cwd: string;
  /** The variables of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** All variables of a launcher that reads the command's variables from a descriptor. */
  readonly launcherEnv: Readonly<Record<string, string>>;
  /** Default: none. */
  readonly stdin?: number | 'pipe';
  readonly stdout: number | 'pipe' | 'ignore';
  readonly stderr: number | 'pipe' | 'ignore';
  readonly leaked: LeakedDescriptors;
}

/**
 * Starts a launch as the leader of its own session and group. Throws the errors of `spawn`, and `ToolFailure`. Some
 * failures show only as the event 'error'. After a shortage of descriptors the process has no streams at all, and no
 * other event comes.
 */
export function spawnLaunch(launch: Launch, settings: LaunchSettings): ChildProcess {
  const [program = '', ...args] = launch.argv;
  const variables = { ...settings.env, ...launch.env };
  const readsVariables = launch.descriptors.some((content) => typeof content === 'function');
  const stdio = descriptorsOf(launch, settings);
  const options: SpawnOptions = {
    cwd: settings.cwd,
    env: readsVariables ? settings.launcherEnv : variables,
    detached: true,
    stdio,
  };
  const contents = launch.descriptors.map((content) => (typeof content === 'function' ? content(variables) : content));
  checkStdio(stdio);
  const child = spawn(program, args, options);
  // Without a listener the event would end our process.
  child.on('error', () => undefined);
  const { stdio: streams = [] } = child;
  for (const [index, content] of contents.entries()) {
    const socket = streams[index + 3];
    if (socket instanceof Writable) send(socket, content);
  }
  return child;
}

function descriptorsOf({ descriptors }: Launch, { stdin, stdout, stderr, leaked }: LaunchSettings): Stdio {
  // Not a regular file: the command could open it again for writing through /proc, from inside any sandbox.
  const input = stdin ?? 'ignore';
  const stdio: ('pipe' | 'ignore' | number)[] = [input, stdout, stderr, ...descriptors.map(() => 'pipe' as const)];
  // For 'ignore' Node leaves an inherited descriptor open. A number replaces the descriptor.
  while (stdio.length <= leaked.last) stdio.push(leaked.has(stdio.length) ? leaked.instead : 'ignore');
  return withoutTerminals(stdio);
}

function send(socket: Writable, bytes: Uint8Array): void {
  // A launcher that ends without reading prints the reason itself.
  socket.on('error', () => undefined);
  // The other half of the socket would stay open until the launcher closes it, and keep us alive.
  socket.end(bytes, () => socket.destroy());
}
