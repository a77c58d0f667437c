import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SandboxPolicy } from '../../../src/base/policy.ts';
import type { Job, Report } from './agent.ts';
import { COMPILER, createGround, type Ground, hasProgram, PATH, PEOPLE, PERL, type Person } from './run-agent.ts';

const canTest = process.platform === 'linux' && hasProgram(COMPILER) && hasProgram('bwrap') && hasProgram('perl');

let ground: Ground;
let attack: string;
const servers: Server[] = [];
const listeners: ChildProcess[] = [];
const queues = new Set<string>();
/** Names of the servers of the last scene that were reached. A server of an earlier scene may be reached late. */
let reached: string[] = [];

beforeAll(async () => {
  if (!canTest) return;
  ground = createGround();
  attack = join(ground.path, 'attack');
  execFileSync(COMPILER, ['-O1', '-o', attack, fileURLToPath(new URL('attack.c', import.meta.url))]);
});
afterAll(() => {
  for (const server of servers) server.close();
  for (const listener of listeners) listener.kill();
  for (const id of queues) execFileSync(PERL, ['-e', `msgctl(${id}, 0, 0)`]);
  ground?.dispose();
});

/** The targets of the attacks of one person. */
interface Scene {
  readonly person: Person;
  readonly base: string;
  readonly workspace: string;
  readonly outside: string;
  readonly temporary: string;
  readonly policy: SandboxPolicy;
  readonly env: Readonly<Record<string, string>>;
}

let scenes = 0;

async function prepare(person: Person): Promise<Scene> {
  const name = `scene-${++scenes}`;
  const folder = (...names: string[]) => ground.folder(person, name, ...names);
  const [workspace, outside, temporary, hidden] = [
    folder('w'),
    folder('outside'),
    folder('tmp'),
    folder('home', '.ssh'),
  ];
  for (const path of ['w/sub', 'w/.git/hooks', 'w/.git/objects', 'w/.oxbow']) folder(...path.split('/'));
  const file = (path: string, text = 'original\n') => {
    writeFileSync(path, text);
    if (person.id !== process.getuid?.()) chownSync(path, person.id, person.id);
  };
  for (const entry of ['file', 'doomed', 'moved', 'hidden-file', 'hardlinked']) file(join(outside, entry));
  for (const entry of ['.git/config', '.git/HEAD', '.oxbow/config.toml']) file(join(workspace, entry));
  file(join(hidden, 'secret'));
  symlinkSync(join(outside, 'file'), join(workspace, 'way-out'));
  linkSync(join(outside, 'hardlinked'), join(workspace, 'old-link'));
  const sockets = await listen(join(ground.path, name), workspace);
  return {
    person,
    base: join(ground.path, name),
    workspace,
    outside,
    temporary,
    policy: {
      mode: 'workspace-write',
      writableRoots: [workspace, temporary],
      network: false,
      denyRead: [hidden, join(outside, 'hidden-file')],
    },
    env: {
      PATH,
      WORKSPACE: workspace,
      OUTSIDE: outside,
      OUTSIDE_BY_PROC: `/proc/self/root${outside}`,
      TEMPORARY: temporary,
      HIDDEN: hidden,
      LEAKED: '40',
      CGROUP: '/sys/fs/cgroup/pids',
      DISK: diskDevice(),
      QUEUE: messageQueue(),
      ...sockets,
    },
  };
}

function diskDevice(): string {
  const names = existsSync('/sys/class/block') ? readdirSync('/sys/class/block') : [];
  return names.map((name) => `/dev/${name}`).find((path) => existsSync(path)) ?? '/dev/nonexistent';
}

const QUEUE_KEY = 0x0b000000 + (process.pid & 0xffffff);
const IPC_CREAT = 0o1000;

/** Creates a message queue, which other processes of the machine find by a number. */
function messageQueue(): string {
  const id = execFileSync(PERL, ['-e', `print msgget(${QUEUE_KEY}, ${IPC_CREAT | 0o666})`], { encoding: 'utf8' });
  queues.add(id);
  return String(QUEUE_KEY);
}

/** Starts servers on the machine, which record what they receive. */
async function listen(base: string, workspace: string): Promise<Record<string, string>> {
  const into: string[] = [];
  reached = into;
  const paths = {
    STREAM: join(base, 's.sock'),
    WORKSPACE_STREAM: join(workspace, 'w.sock'),
    ABSTRACT: `\0oxbow-${process.pid}-${scenes}`,
  };
  for (const [name, path] of Object.entries(paths)) {
    await listening(name, (server) => server.listen(path));
    if (!path.startsWith('\0')) chmodSync(path, 0o777);
  }
  const tcp = await listening('TCP', (server) => server.listen(0, '127.0.0.1'));
  const udp = createSocket('udp4', () => into.push('UDP')).unref();
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  return {
    ...paths,
    ABSTRACT: paths.ABSTRACT.replace('\0', '@'),
    DATAGRAM: await listenForDatagrams(base),
    TCP_PORT: String((tcp.address() as AddressInfo).port),
    UDP_PORT: String(udp.address().port),
  };
}

async function listening(name: string, start: (server: Server) => Server): Promise<Server> {
  const into = reached;
  const server = createServer((socket) => {
    socket.on('data', () => into.push(name)).on('error', () => undefined);
    socket.resume();
  });
  servers.push(server);
  await new Promise<void>((resolve) => start(server).once('listening', resolve));
  return server;
}

/**
 * Starts perl as a receiver of datagrams, which Node lacks. Perl writes what it receives to a file next to the socket.
 */
async function listenForDatagrams(base: string): Promise<string> {
  const path = join(base, 'd.sock');
  const script =
    'use Socket; socket(S, AF_UNIX, SOCK_DGRAM, 0) or die; bind(S, pack_sockaddr_un($ARGV[0])) or die; ' +
    'chmod 0777, $ARGV[0]; $| = 1; print "ready\n"; ' +
    'while (defined recv(S, my $b, 99, 0)) { open(my $f, ">>", "$ARGV[0].got"); print $f $b }';
  const child = spawn(PERL, ['-e', script, path], { stdio: ['ignore', 'pipe', 'ignore'] });
  listeners.push(child);
  await once(child.stdout, 'data');
  return path;
}

type Outcome = Readonly<Record<string, string>>;

async function attackFrom(
  scene: Scene,
  job: Partial<Job> & Pick<Job, 'sandbox'>,
): Promise<{ outcome: Outcome; report: Report }> {
  const { person, policy, workspace, env } = scene;
  const whole = { policy, cwd: workspace, argv: [attack], env, ...job };
  const report = await ground.run(person, whole, { leak: scene.outside });
  const lines = report.text.split('\n').filter((line) => /^[a-z]+\.\S+ \S+$/.test(line));
  return { outcome: Object.fromEntries(lines.map((line) => line.split(' ') as [string, string])), report };
}

const allowedIn = (outcome: Outcome) => Object.keys(outcome).filter((name) => outcome[name] === 'allowed');
const sorted = (...names: (readonly string[])[]) => names.flat().toSorted((a, b) => (a < b ? -1 : 1));

/** Actions that commands must be able to do. */
const WANTED = [
  ...['create-in-workspace', 'write-in-subfolder', 'rename-across-folders', 'link-in-workspace'].map(
    (name) => `file.${name}`,
  ),
  ...['chmod-in-workspace', 'write-in-tmp', 'shared-memory', 'read-outside'].map((name) => `file.${name}`),
  ...['limit', 'read-limit', 'affinity', 'scheduler', 'parameters', 'attributes', 'priority', 'io-priority'].map(
    (name) => `own.${name}`,
  ),
  'process.trace-own-child',
  'socket.pair',
];

/** Actions that no sandbox can tell from work in the workspace. */
const UNAVOIDABLE = ['hardlink.made-before'];

/** Actions that Landlock cannot deny. The first ones are put back afterwards. */
const GUARDED = ['config', 'hook', 'through-symlink', 'hardlink-out', 'chmod', 'rename'].map((name) => `git.${name}`);
const LANDLOCK_CANNOT = [
  ...GUARDED,
  ...['agent.write', 'absent.agents', 'absent.codex-in-tmp', 'absent.git-in-tmp'],
  ...['metadata.chmod', 'metadata.utime', 'metadata.xattr'],
];

function expectOutsideUntouched({ outside, base }: Scene): void {
  expect(readdirSync(outside).sort()).toEqual(['doomed', 'file', 'hardlinked', 'hidden-file', 'moved']);
  for (const name of ['doomed', 'file', 'hidden-file', 'moved']) {
    expect(readFileSync(join(outside, name), 'utf8'), name).toBe('original\n');
  }
  expect(existsSync(join(base, 'd.sock.got'))).toBe(false);
  expect(reached).toEqual([]);
}

function expectProtectedUntouched({ workspace, temporary }: Scene): void {
  const read = (path: string) => readFileSync(join(workspace, path), 'utf8');
  expect(readdirSync(join(workspace, '.git')).sort()).toEqual(['HEAD', 'config', 'hooks', 'objects']);
  expect(readdirSync(join(workspace, '.git/hooks'))).toEqual([]);
  expect([read('.git/config'), read('.oxbow/config.toml')]).toEqual(['original\n', 'original\n']);
  expect(lstatSync(join(workspace, '.git/config')).mode & 0o777).toBe(0o644);
  for (const path of [join(workspace, '.agents'), join(temporary, '.codex'), join(temporary, '.git')]) {
    expect(existsSync(path), path).toBe(false);
  }
}

describe.skipIf(!canTest)('attacks', () => {
  describe.each(PEOPLE)('by $name', (person) => {
    test('succeed without a sandbox', async () => {
      const scene = await prepare(person);
      const { outcome } = await attackFrom(scene, { sandbox: 'bubblewrap', escalated: true });
      const kinds =
        /^(?:file|metadata|git|agent|absent|hidden|hardlink|own)\.|^outside\.(?!by-handle|through-input|through-leaked)|^socket\.(?:unix|tcp)|^other\.(?:.*limit|affinity|scheduler|parameters|attributes|.*priority|signal)/;
      const failed = Object.keys(outcome).filter((name) => kinds.test(name) && outcome[name] !== 'allowed');
      expect(failed).toEqual([]);
      for (const name of ['process.environment', 'process.kill', 'kernel.queue-of-others']) {
        expect(outcome[name], name).toBe('allowed');
      }
      expect(reached.length).toBeGreaterThan(3);
    });

    test('fail under bubblewrap', async () => {
      const scene = await prepare(person);
      const { outcome, report } = await attackFrom(scene, { sandbox: 'bubblewrap' });
      expect(sorted(allowedIn(outcome))).toEqual(sorted(WANTED, UNAVOIDABLE, ['socket.tcp-listen']));
      expect(Object.keys(outcome).length, report.text).toBeGreaterThan(70);
      expect(outcome['socket.of-32-bits']).toBe('SIGSYS');
      expectOutsideUntouched(scene);
      expectProtectedUntouched(scene);
      expect(readdirSync(scene.workspace)).not.toContain('.agents');
      expect(report.notes).toEqual([]);
    });

    test('fail under bubblewrap with private unix sockets, except on their own sockets', async () => {
      const scene = await prepare(person);
      const policy = { ...scene.policy, unixSockets: 'private' } as const;
      const { outcome } = await attackFrom(scene, { sandbox: 'bubblewrap', policy });
      const own = ['socket.tcp-listen', 'socket.unix-listen'];
      expect(sorted(allowedIn(outcome))).toEqual(sorted(WANTED, UNAVOIDABLE, own));
      expectOutsideUntouched(scene);
    });

    test('fail under bubblewrap with network, except for the network', async () => {
      const scene = await prepare(person);
      const policy = { ...scene.policy, network: true, unixSockets: 'private' } as const;
      const { outcome, report } = await attackFrom(scene, { sandbox: 'bubblewrap', policy });
      const network = ['socket.tcp-connect', 'socket.tcp-fastopen', 'socket.tcp-listen'];
      expect(sorted(allowedIn(outcome))).toEqual(sorted(WANTED, UNAVOIDABLE, network));
      expect(report.notes).toEqual([expect.stringContaining('Commands get no unix sockets')]);
    });

    test.each([
      ['a /proc of its own', ['proc']],
      ...(person.id === 0 ? ([['a user namespace', ['user']]] as const) : []),
      ...(person.id === 0 ? ([['both', ['proc', 'user']]] as const) : []),
    ] as [string, ('proc' | 'user')[]][])('fail under bubblewrap without %s', async (_, without) => {
      const scene = await prepare(person);
      const { outcome } = await attackFrom(scene, { sandbox: 'bubblewrap', without });
      expect(sorted(allowedIn(outcome))).toEqual(sorted(WANTED, UNAVOIDABLE, ['socket.tcp-listen']));
      expectOutsideUntouched(scene);
      expectProtectedUntouched(scene);
    });

    test('fail under Landlock, or are undone', async () => {
      const scene = await prepare(person);
      const { outcome, report } = await attackFrom(scene, { sandbox: 'landlock' });
      expect(sorted(allowedIn(outcome))).toEqual(sorted(WANTED, UNAVOIDABLE, LANDLOCK_CANNOT));
      expect(Object.keys(outcome).length, report.text).toBeGreaterThan(70);
      expect(outcome['socket.of-32-bits']).toBe('SIGSYS');
      expectOutsideUntouched(scene);
      expectProtectedUntouched(scene);
      expect(report.notes).toEqual(
        expect.arrayContaining([
          expect.stringContaining('Sandbox: Landlock'),
          expect.stringContaining(`A command changed ${join(scene.workspace, '.git')}`),
        ]),
      );
    });

    test.each([1, 2, 3, 4, 5, 6])('on files fail under version %i of Landlock', async (landlockVersion) => {
      const scene = await prepare(person);
      const { outcome } = await attackFrom(scene, { sandbox: 'landlock', landlockVersion });
      // Before its third version Landlock did not know truncate().
      const missing = landlockVersion < 3 ? ['outside.truncate'] : [];
      const outside = Object.keys(outcome).filter((name) => /^(?:outside|hidden|root)\./.test(name));
      expect(outside.filter((name) => outcome[name] === 'allowed')).toEqual(missing);
      expect(outcome['file.create-in-workspace']).toBe('allowed');
    });

    test('fail in read-only mode, even in the workspace', async () => {
      for (const sandbox of ['bubblewrap', 'landlock'] as const) {
        const scene = await prepare(person);
        const policy = { ...scene.policy, mode: 'read-only' } as const;
        const { outcome } = await attackFrom(scene, { sandbox, policy });
        const files = allowedIn(outcome).filter((name) => /^(?:file|git|agent|absent|outside|hardlink)\./.test(name));
        const metadata = sandbox === 'landlock' ? ['git.chmod'] : [];
        expect(files).toEqual(['file.shared-memory', 'file.read-outside', ...metadata]);
        expectOutsideUntouched(scene);
        chmodSync(join(scene.workspace, '.git/config'), 0o644);
        expectProtectedUntouched(scene);
      }
    });
  });
});
