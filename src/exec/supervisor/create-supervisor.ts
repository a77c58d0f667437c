import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { exitOf } from '../process/exit-of.ts';
import { isExecutable } from '../process/is-executable.ts';
import { signal } from '../process/kill-tree.ts';
import { isShortage } from '../process/spawn-failure.ts';
import { checkStdio, withoutTerminals } from '../process/terminal-descriptors.ts';
import { within } from '../process/within.ts';
import { zeroTerminated } from '../process/zero-terminated.ts';
import { SYSTEM_CALLS } from '../sandbox/landlock/perl-parts.ts';
import { SUPERVISOR } from './program.ts';

/** A supervisor is a process next to ours that starts commands, so that everything they start can be ended. */
export interface Supervisor {
  /** False once the supervisor has ended or was closed. */
  isUsable(): boolean;
  /** Reports whether no process of any command is left. */
  isIdle(): boolean;
  /** Starts a command. Rejects with the error of the system when the command cannot be started. */
  start(command: SupervisedCommand, onEnd: (exitCode: number) => void): Promise<StartedCommand>;
  /** Kills every command with everything that it started, and ends the supervisor. */
  closeSync(): void;
  /** Resolves when the supervisor has ended and every command is gone. */
  readonly gone: Promise<void>;
}

export interface SupervisedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Arguments of `confine` in perl; empty without a sandbox. */
  readonly confine: readonly string[];
  /** Contents of descriptor 3 and the descriptor after it, for a launcher. */
  readonly descriptors?: readonly Uint8Array[];
  /** Our descriptor that becomes the input of the command. Without one it has no input. */
  readonly input?: number;
  /** Whether the command only waits until `begin`: it does not keep the supervisor or our process running until then. */
  readonly waits?: boolean;
  /** Our descriptor that becomes the output and the errors of the command. The caller closes it after the start. */
  readonly output: number;
  /** Whether the output is a terminal, which is then the input and the terminal of the session too. */
  readonly isTerminal: boolean;
}

export interface StartedCommand {
  /** Number of the process that ends the command and everything it started when it gets SIGTERM. */
  readonly supervisor: number;
  /** Number of the command, which leads a group and a session of its own. */
  readonly pid: number;
  /** Ends the waiting of a command that waits. */
  begin(): void;
}

const START_MS = 5000;
const KILLED = 137;

/**
 * Starts a supervisor; undefined where it cannot run. Rejects where the system lacks something for now. `onChange` is called
 * when a command has started or ended, or its last process is gone.
 */
export async function createSupervisor(perl: string, onChange = () => {}): Promise<Supervisor | undefined> {
  const { arch, platform } = process;
  if (platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64') || !isExecutable(perl)) return undefined;
  try {
    // Without variables, which could make perl run something else.
    const options = { cwd: '/', env: {}, detached: true } as const;
    const args = ['-e', SUPERVISOR, '--', ...SYSTEM_CALLS[arch].split(' '), String(process.pid)];
    const stdio = withoutTerminals(['pipe', 'pipe', 'ignore']);
    checkStdio(stdio);
    const child = spawn(perl, args, { ...options, stdio });
    const failure = new Promise<Error>((resolve) => child.once('error', resolve));
    if (child.pid === undefined) throw await failure;
    if (child.stdin === null || child.stdout === null) return undefined;
    return await connect(child, { requests: child.stdin, answers: child.stdout }, onChange);
  } catch (error) {
    if (isShortage(error)) throw error;
    return undefined;
  }
}

type ProcessIds = Pick<StartedCommand, 'supervisor' | 'pid'>;

interface Pending {
  /** Whether the command only waits until `begin`. */
  waits: boolean;
  isStarted: boolean;
  started(ids: ProcessIds): void;
  failed(error: Error): void;
  ended(exitCode: number): void;
}

interface SupervisorPipes {
  readonly requests: NodeJS.WritableStream & { destroy(): void };
  readonly answers: NodeJS.ReadableStream;
}

async function connect(child: ChildProcess, { requests, answers }: SupervisorPipes, onChange: () => void) {
  const pending = new Map<string, Pending>();
  /** Commands that may have a running process. */
  const alive = new Set<string>();
  let usable = true;
  const nextId = createCounter();

  const keepAlive = () => refIfNeeded(answers, pending);

  function lose(): void {
    usable = false;
    failAll(pending);
  }

  function end(): void {
    usable = false;
    requests.destroy();
    endProcess(child);
  }

  readLines(answers, (line) => {
    answer(pending, alive, line);
    keepAlive();
    onChange();
  });
  const silent = once(answers, 'close').then(lose, lose);
  const exited = exitOf(child);
  child.once('error', lose);
  requests.on('error', () => undefined);
  child.unref();
  if (requests instanceof Socket) requests.unref();
  await readiness(pending).catch((error) => {
    end();
    throw error;
  });

  return {
    isUsable: () => usable,
    isIdle: () => [...alive].every((id) => pending.get(id)?.waits),
    start(command: SupervisedCommand, onEnd: (exitCode: number) => void): Promise<StartedCommand> {
      const id = nextId();
      return new Promise((resolve, reject) => {
        const request = pack(id, command);
        const begin = () => {
          entry.waits = false;
          keepAlive();
        };
        const started = (ids: ProcessIds) => resolve({ ...ids, begin });
        const entry = { waits: command.waits ?? false, isStarted: false, started, failed: reject, ended: onEnd };
        pending.set(id, entry);
        alive.add(id);
        if (usable) requests.write(request);
        else lose();
        keepAlive();
      });
    },
    closeSync: end,
    gone: Promise.all([silent, exited]).then(() => {}),
  };
}

/** Ends the first of the supervisors. Its end ends all of them, and so all commands. */
function endProcess({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) signal(pid, 'SIGTERM');
}

function createCounter(): () => string {
  let count = 0;
  return () => String(++count);
}

/** Keeps our process alive only while an answer is pending. */
function refIfNeeded(answers: NodeJS.ReadableStream, pending: ReadonlyMap<string, Pending>): void {
  const isNeeded = [...pending.values()].some(({ waits, isStarted }) => !waits || !isStarted);
  if (answers instanceof Socket) answers[isNeeded ? 'ref' : 'unref']();
}

function failAll(pending: Map<string, Pending>): void {
  for (const command of pending.values()) {
    command.failed(new Error('the process that starts commands has ended'));
    command.ended(KILLED);
  }
  pending.clear();
}

/** Resolves when the supervisor has reported that it is ready. */
async function readiness(pending: Map<string, Pending>): Promise<void> {
  let isReady = false;
  const ready = new Promise<void>((resolve, reject) => {
    pending.set('0', { waits: false, isStarted: false, started: () => resolve(), failed: reject, ended() {} });
  }).then(() => {
    isReady = true;
  });
  await within(START_MS, ready);
  if (!isReady) throw new Error('it does not answer');
}

function pack(id: string, command: SupervisedCommand): Buffer {
  const { argv, cwd, env, output, input, isTerminal, confine, descriptors = [] } = command;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const pathOf = (descriptor: number) => `/proc/${process.pid}/fd/${descriptor}`;
  const fields = [id, cwd, pathOf(output), input === undefined ? '' : pathOf(input), isTerminal ? '1' : ''];
  const contents = descriptors.map((bytes) => Buffer.from(bytes).toString('hex'));
  const lists = [confine, contents, variables].flatMap((list) => [String(list.length), ...list]);
  const body = zeroTerminated([...fields, ...lists, ...argv]);
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  return Buffer.concat([head, body]);
}

function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('latin1').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
}

function answer(pending: Map<string, Pending>, alive: Set<string>, line: string): void {
  const [id = '', word, ...numbers] = line.split(' ');
  if (word === 'gone' || word === 'failed' || word === 'lost') alive.delete(id);
  const command = pending.get(id);
  const [first = 0, second = 0] = numbers.map(Number);
  if (word === 'started' && command !== undefined) command.isStarted = true;
  if (word === 'started') command?.started({ supervisor: first, pid: second });
  else if (word !== 'gone') pending.delete(id);
  if (word === 'ready') command?.started({ supervisor: 0, pid: 0 });
  if (word === 'failed') command?.failed(systemError(first));
  if (word === 'lost') {
    command?.failed(new Error('it ended what started it'));
    command?.ended(KILLED);
  }
  if (word === 'ended') command?.ended((first & 127) === 0 ? first >> 8 : 128 + (first & 127));
}

function systemError(number: number): Error {
  return Object.assign(new Error(`error ${number}`), { errno: -number });
}
