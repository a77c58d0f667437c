import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxBackend } from '../../base/policy.ts';
import type { World } from '../../base/world.ts';
import type { Variables } from '../process/command-environment.ts';
import { createLocalEnvironment } from './local-environment.ts';

/** A promise of docs/security.md, with the result of its trial on this machine. */
export interface PromiseTrial {
  readonly id: string;
  readonly held: boolean;
}

/** Settings that decide which sandbox commands get. */
export interface TrialOptions {
  readonly env: Variables;
  readonly backend: SandboxBackend | undefined;
  readonly version: string;
  readonly world: World;
}

/** The promises that are tried, in the order of docs/security.md. */
export const PROMISES = [
  ...['files', 'protected', 'names', 'home', 'hidden'],
  ...['network', 'sockets', 'pipes', 'processes', 'variables', 'leftovers'],
] as const;

/**
 * Tries to break the promises of the sandbox with one command in a scratch folder. Throws `ToolFailure` where no
 * sandbox can confine the command.
 */
export async function tryPromises(options: TrialOptions): Promise<PromiseTrial[]> {
  const scene = await createScene(options.world);
  try {
    const broken = await attack(scene, options);
    const changed = changesOf(scene);
    return PROMISES.map((id) => ({ id, held: !broken.includes(id) && !changed.includes(id) }));
  } finally {
    closeScene(scene);
  }
}

/** A scratch folder with a workspace, and things next to it that no command may reach. */
interface Scene {
  readonly world: World;
  readonly folder: string;
  readonly workspace: string;
  readonly home: string;
  readonly servers: readonly Server[];
  /** Descriptor that reads the named pipe. */
  readonly reader: number;
  /** Paths, and numbers of a port and a process, for the attack. */
  readonly targets: Readonly<Record<string, string | number>>;
}

const ORIGINAL = 'original';

async function createScene(world: World): Promise<Scene> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-doctor-')));
  const at = (...names: string[]) => join(folder, ...names);
  for (const path of ['workspace/.git', 'workspace/home', 'outside']) mkdirSync(at(path), { recursive: true });
  const files = { file: at('outside/file'), config: at('workspace/.git/config'), rules: at('workspace/home/rules') };
  for (const path of [...Object.values(files), at('secret')]) writeFileSync(path, ORIGINAL);
  execFileSync('mkfifo', [at('outside/pipe')], { env: { PATH: '/usr/bin:/bin' } });
  const [tcp, unix] = [createServer(), createServer()];
  tcp.listen(0, '127.0.0.1');
  unix.listen(at('outside/socket'));
  await Promise.all([once(tcp, 'listening'), once(unix, 'listening')]);
  const targets = {
    ...files,
    secret: at('secret'),
    name: at('workspace/.oxbow'),
    socket: at('outside/socket'),
    pipe: at('outside/pipe'),
    port: (tcp.address() as AddressInfo).port,
    pid: process.pid,
    mark: `60.${Math.trunc(world.random() * 1e9)}`,
  };
  // A pipe without a reader cannot be opened for writing.
  const reader = openSync(targets.pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const places = { folder, workspace: at('workspace'), home: at('workspace/home') };
  return { world, ...places, servers: [tcp, unix], reader, targets };
}

function closeScene({ folder, servers, reader }: Scene): void {
  closeSync(reader);
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Runs the attack in the sandbox. Returns the promises that it broke as far as it could tell itself. */
async function attack(scene: Scene, { env, backend, version }: TrialOptions): Promise<string[]> {
  const { world, workspace, home, targets } = scene;
  const environment = createLocalEnvironment({
    ...{ world, home, cwd: workspace, shell: '/bin/sh', baseEnv: env, threadId: '', version },
    environmentPolicy: { inherit: 'core', ignoreDefaultExcludes: false, exclude: [], set: {}, includeOnly: [] },
  });
  const policy = {
    ...({ mode: 'workspace-write', writableRoots: [workspace], network: false } as const),
    ...(backend === undefined ? {} : { backend }),
    denyRead: [join(scene.folder, 'secret')],
    home,
  };
  const argv = [process.execPath, '-e', ATTACK, JSON.stringify(targets)];
  try {
    const terminal = await environment.open(
      { kind: 'command', argv, cwd: workspace, login: false, escalate: false, yieldMs: LIMIT_MS },
      { callId: '', policy, sandboxed: true, onOutput() {}, onExit() {} },
    );
    const { text } = await terminal.collect(LIMIT_MS, new AbortController().signal);
    const [, line] = /^tried (.*)$/m.exec(text) ?? [];
    if (line === undefined) throw new Error(`The sandbox could not be tried: ${text.trim().slice(0, 200)}`);
    return line.split(' ');
  } finally {
    await environment.close();
  }
}

const LIMIT_MS = 10_000;

/** Program that tries to break each promise, then prints the promises that it broke. */
const ATTACK = `
const fs = require('node:fs'), net = require('node:net'), os = require('node:os');
const { spawn } = require('node:child_process');
const t = JSON.parse(process.argv[1]);
const broken = [];
const attempt = (id, act) => { try { act(); broken.push(id); } catch {} };
const write = (path) => () => fs.writeFileSync(path, 'changed');
attempt('files', write(t.file));
try { fs.writeFileSync(t.config, 'changed'); } catch {}
try { fs.mkdirSync(t.name); } catch {}
try { fs.writeFileSync(t.rules, 'changed'); } catch {}
attempt('hidden', () => fs.readFileSync(t.secret));
attempt('processes', () => process.kill(t.pid, 0));
attempt('processes', () => os.setPriority(t.pid, os.getPriority(t.pid)));
attempt('variables', () => fs.readFileSync('/proc/' + t.pid + '/environ'));
attempt('pipes', () => fs.closeSync(fs.openSync(t.pipe, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK)));
spawn('sleep', [t.mark], { detached: true, stdio: 'ignore' }).on('error', () => {}).unref();
const reach = (id, to) => {
  const socket = net.connect(to);
  socket.on('connect', () => { broken.push(id); socket.destroy(); });
  socket.on('error', () => {});
};
reach('network', { port: t.port, host: '127.0.0.1' });
reach('sockets', { path: t.socket });
process.on('exit', () => fs.writeSync(1, 'tried ' + broken.join(' ') + '\\n'));
setTimeout(() => process.exit(), 2000).unref();
`;

/** Returns the promises that the traces of the attack show to be broken. */
function changesOf({ targets: { file, config, rules, name, mark } }: Scene): string[] {
  const differs = (path: unknown) => readFileSync(String(path), 'utf8') !== ORIGINAL;
  const found: [string, boolean][] = [
    ['files', differs(file)],
    ['protected', differs(config)],
    ['names', existsSync(String(name))],
    ['home', differs(rules)],
    ['leftovers', runs(String(mark))],
  ];
  return found.filter(([, isBroken]) => isBroken).map(([id]) => id);
}

/** Reports whether a process has this word in its command line. */
function runs(word: string): boolean {
  if (!existsSync('/proc')) return false;
  return readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`\0${word}\0`);
    } catch {
      return false;
    }
  });
}
