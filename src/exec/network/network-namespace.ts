import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Server } from 'node:net';
import { signal as sendSignal } from '../process/kill-tree.ts';
import { checkStdio, type Stdio } from '../process/terminal-descriptors.ts';

/** A network namespace with nothing but a loopback, on which our socket listens. */
export interface NetworkNamespace {
  /** Listens on 127.0.0.1 in the namespace. */
  readonly server: Server;
  readonly port: number;
  /** Words before a command that make it run in the namespace. */
  readonly enter: readonly string[];
  close(): void;
}

export interface NamespaceOptions {
  /** Path of bwrap, which makes the namespace and brings up its loopback. */
  readonly bubblewrap: string;
  /** Path of nsenter. */
  readonly nsenter: string;
  /** Whether a user namespace is used. Without one only root can make a network namespace. */
  readonly ownUser: boolean;
  readonly signal: AbortSignal;
}

const PORT = 3128;
const TIMEOUT_MS = 20_000;

/** Runs in the namespace, only until its socket has been handed to us. */
const LISTEN = `const s=require('node:net').createServer();s.listen(${PORT},'127.0.0.1',()=>process.send(process.pid,s))`;

/**
 * Makes the namespace. No process stays in it: our descriptors keep it, and it ends with them. Rejects with the reason
 * of a failure.
 */
export async function openNetworkNamespace(options: NamespaceOptions): Promise<NetworkNamespace> {
  const { bubblewrap, ownUser, signal } = options;
  signal.throwIfAborted();
  const flags = [
    '--die-with-parent',
    // With a /dev of its own, bwrap would make a second user namespace, from which the network cannot be entered.
    ...['--dev-bind', '/', '/'],
    ...(ownUser ? ['--unshare-user'] : []),
    '--unshare-net',
    ...['--cap-drop', 'ALL'],
    '--',
  ];
  const stdio: Stdio = ['ignore', 'ignore', 'pipe', 'ipc'];
  checkStdio(stdio);
  const holder = spawn(bubblewrap, [...flags, process.execPath, '-e', LISTEN], {
    cwd: '/',
    env: {},
    stdio,
    detached: true,
  });
  try {
    const { pid, server } = await handedOver(holder, signal);
    return keepNamespace(pid, server, options);
  } finally {
    if (holder.pid !== undefined && holder.exitCode === null) sendSignal(-holder.pid, 'SIGKILL');
  }
}

function handedOver(holder: ChildProcess, signal: AbortSignal): Promise<{ pid: number; server: Server }> {
  return new Promise((resolve, reject) => {
    let said = '';
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    };
    const fail = (why: string, error = new Error(why)) => {
      settle();
      reject(error);
    };
    const giveUp = () => fail('it was given up');
    const timer = setTimeout(() => fail('it did not answer'), TIMEOUT_MS);
    signal.addEventListener('abort', giveUp);
    holder.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < 4096) said += text;
    });
    holder.once('error', (error) => fail(error.message, error));
    holder.once('close', (code, name) => fail(said.trim().split('\n')[0] || `it ended with ${code ?? name}`));
    holder.once('message', (pid, server) => {
      settle();
      if (typeof pid === 'number' && server instanceof Server) resolve({ pid, server });
      else reject(new Error('it handed over no socket'));
    });
  });
}

function keepNamespace(pid: number, server: Server, { nsenter, ownUser }: NamespaceOptions): NetworkNamespace {
  const kinds = ownUser ? (['user', 'net'] as const) : (['net'] as const);
  const kept: { kind: string; descriptor: number }[] = [];
  const close = () => {
    server.close();
    for (const { descriptor } of kept.splice(0)) closeSync(descriptor);
  };
  try {
    for (const kind of kinds) kept.push({ kind, descriptor: openSync(`/proc/${pid}/ns/${kind}`, 'r') });
  } catch (error) {
    close();
    throw error;
  }
  // By the number of our process. A command could use descriptors that it inherits.
  const files = kept.map(({ kind, descriptor }) => `--${kind}=/proc/${process.pid}/fd/${descriptor}`);
  return { server, port: PORT, enter: [nsenter, ...files, '--preserve-credentials', '--'], close };
}
