import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createConfinement } from '../environment/confinement.ts';
import type { Launch } from '../process/launch.ts';
import { seatbeltArgv } from '../sandbox/seatbelt/seatbelt.ts';
import { createFilteredNetwork, type FilteredNetwork, type FilteredNetworkOptions } from './filtered-network.ts';

const BUBBLEWRAP = '/usr/bin/bwrap';
const SERVER_ADDRESS = '127.0.0.2';
const has = (program: string) => spawnSync('which', [program]).status === 0;

let origin: Server;
let url: string;
let network: FilteredNetwork;
let notes: string[];

beforeEach(async () => {
  notes = [];
  origin = createServer((_, answer) => answer.end('hello'));
  await new Promise<void>((done) => origin.listen(0, SERVER_ADDRESS, done));
  url = `http://good.test:${(origin.address() as AddressInfo).port}/`;
});

afterEach(async () => {
  await network.close();
  origin.close();
  origin.closeAllConnections();
});

function filtered(options: Partial<FilteredNetworkOptions> = {}): FilteredNetwork {
  network = createFilteredNetwork({
    allowedDomains: ['good.test', SERVER_ADDRESS],
    resolve: async () => [SERVER_ADDRESS],
    onNote: (note) => notes.push(note),
    ...options,
  });
  return network;
}

function launchOf(...command: string[]): Launch {
  const flags =
    '--die-with-parent --new-session --ro-bind / / --dev /dev --proc /proc --unshare-user --unshare-pid --unshare-ipc --unshare-net --cap-drop ALL --'.split(
      ' ',
    );
  return {
    argv: [BUBBLEWRAP, ...flags, ...command],
    commandAt: flags.length + 1,
    descriptors: [],
    env: { FIRST: '1' },
    supervises: false,
    end: () => undefined,
  };
}

async function run(...command: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const launch = await network.wrap(launchOf(...command));
  const [program = '', ...args] = launch.argv;
  const child = spawn(program, args, {
    env: { PATH: '/usr/bin:/bin', ...launch.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, out, err };
}

const script = (code: string) => run('/bin/bash', '-c', code);

/** Returns the direct children of this process. */
function children(): string[] {
  return readdirSync('/proc/self/task').flatMap((task) => {
    const { stdout } = spawnSync('cat', [`/proc/${process.pid}/task/${task}/children`], { encoding: 'utf8' });
    return stdout
      .trim()
      .split(' ')
      .filter((pid) => pid !== '' && existsSync(`/proc/${pid}/exe`));
  });
}

const namespaces = () =>
  readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith('net:[');
    } catch {
      return false;
    }
  }).length;

describe.skipIf(!existsSync(BUBBLEWRAP))('commands with a filtered network', () => {
  test.skipIf(!has('curl'))('reach an allowed host and no other, by curl', async () => {
    filtered();
    expect(await script(`curl -sS ${url}`)).toEqual({ code: 0, out: 'hello', err: '' });
    const refused = await script('curl -sS http://evil.test/');
    expect(refused.out).toContain('evil.test is not among the allowed domains');
    const tunnel = await script('curl -sS https://evil2.test/');
    expect(tunnel.err).toContain('403');
    expect(network.denied()).toEqual(['evil.test', 'evil2.test']);
  });

  test('reach an allowed host and no other, by node', async () => {
    filtered();
    const folder = mkdtempSync(join(tmpdir(), 'oxbow-test-'));
    const file = join(folder, 'get.cjs');
    writeFileSync(
      file,
      `const { hostname, port } = new URL(process.env.http_proxy);
       require('node:http').get({ host: hostname, port, path: process.argv[2] }, (r) => {
         process.stdout.write(String(r.statusCode)); r.pipe(process.stdout);
       });`,
    );
    expect((await run(process.execPath, file, url)).out).toBe('200hello');
    expect((await run(process.execPath, file, 'http://evil.test/')).out).toMatch(/^403The sandbox refused/);
    rmSync(folder, { recursive: true });
  });

  test.skipIf(!existsSync('/usr/bin/python3'))('reach an allowed host and no other, by python', async () => {
    filtered();
    const get = (target: string) => run('/usr/bin/python3', '-c', PYTHON_GET, target);
    expect((await get(url)).out).toBe('hello\n');
    expect((await get('http://evil.test/')).out).toMatch(/^403 The sandbox refused/);
  });

  test('reach nothing without the proxy: no address, no server of this machine, no name', async () => {
    filtered();
    const { port } = origin.address() as AddressInfo;
    const tries = [`${SERVER_ADDRESS}/${port}`, '1.1.1.1/80', '169.254.169.254/80', 'example.org/80'];
    for (const target of tries) {
      const { code, err } = await script(`timeout 5 bash -c 'exec 3<>/dev/tcp/${target}'`);
      expect([target, code === 0, err === '']).toEqual([target, false, false]);
    }
  });

  test('may start servers of their own, which later commands reach', async () => {
    filtered();
    const server = `require('node:http').createServer((q, r) => r.end('mine')).listen(8099, '127.0.0.1', () => console.log('up'))`;
    const launch = await network.wrap(launchOf(process.execPath, '-e', server));
    const [program = '', ...args] = launch.argv;
    const child = spawn(program, args, { env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((up) => child.stdout.once('data', up));
    const get = `require('node:http').get('http://127.0.0.1:8099/', (r) => r.pipe(process.stdout))`;
    expect((await run(process.execPath, '-e', get)).out).toBe('mine');
    child.kill('SIGKILL');
    await new Promise((gone) => child.once('close', gone));
  });

  test('cannot change the network, leave it or hold a descriptor of it', async () => {
    filtered();
    const { out } = await script(
      'grep CapEff /proc/self/status; ls -l /proc/self/fd | grep -c "net:" ; ls /proc | grep -c "^[0-9]"',
    );
    expect(out).toMatch(/^CapEff:\s0+\n0\n[1-9]\n$/);
    expect((await script(`nsenter --net=/proc/${process.ppid}/ns/net true`)).code).not.toBe(0);
    expect((await script(`ls /proc/${process.pid}/fd`)).code).not.toBe(0);
  });

  test('leave no process and no namespace behind', async () => {
    const before = { children: children(), namespaces: namespaces() };
    filtered();
    await script('true');
    await vi.waitFor(() => expect(children()).toEqual(before.children), 20_000);
    expect(namespaces()).toBe(before.namespaces + 1);
    await network.close();
    expect(namespaces()).toBe(before.namespaces);
  });

  test('get the variables of the proxy besides their own, and keep their index in the launch', async () => {
    filtered();
    const launch = await network.wrap(launchOf('the', 'command'));
    expect(launch.env).toMatchObject({
      FIRST: '1',
      https_proxy: 'http://127.0.0.1:3128',
      NO_PROXY: 'localhost,127.0.0.1,::1',
    });
    expect(launch.argv.slice(launch.commandAt)).toEqual(['the', 'command']);
    expect(launch.argv.slice(0, launch.commandAt)).not.toContain('--unshare-net');
  });

  test('are 200 at once and all served', async () => {
    filtered();
    const get = `let left = 200; const { hostname: host, port } = new URL(process.env.http_proxy);
      for (let i = 0; i < 200; i++) require('node:http').get({ host, port, agent: false, path: '${url}' }, (r) => {
        r.resume().on('end', () => { if (r.statusCode === 200 && --left === 0) console.log('all'); });
      });`;
    expect((await run(process.execPath, '-e', get)).out).toBe('all\n');
  });
});

describe('where a filtered network is impossible', () => {
  test('a launch stays without network and the note says why', async () => {
    filtered({ nsenter: ['/missing/nsenter'] });
    const launch = launchOf('true');
    expect(await network.wrap(launch)).toBe(launch);
    expect(await network.wrap(launch)).toBe(launch);
    expect(notes).toEqual([
      'allowed_domains has no effect, commands have no network at all: there is no nsenter (install util-linux).',
    ]);
  });

  test('because bubblewrap fails, its message is in the note', async () => {
    filtered({ nsenter: ['/bin/true'] });
    const launch = { ...launchOf('true'), argv: ['/bin/false', ...launchOf('true').argv.slice(1)] };
    expect(await network.wrap(launch)).toBe(launch);
    expect(notes).toEqual(['allowed_domains has no effect, commands have no network at all: it ended with 1.']);
  });

  test('because it has been closed, a launch stays without network', async () => {
    filtered();
    await network.close();
    const launch = launchOf('true');
    expect(await network.wrap(launch)).toBe(launch);
    expect(notes).toEqual([]);
  });
});

test.skipIf(!existsSync('/usr/bin/perl'))('with Landlock the network is off, and a note says so', async () => {
  filtered();
  const confinement = createConfinement({
    policy: { mode: 'read-only', writableRoots: [], network: false, allowedDomains: ['good.test'] },
    path: '',
    untrustedFolders: [],
    signal: new AbortController().signal,
    probes: { bubblewrap: async () => 'no', landlockVersion: async () => 4, landlock: async () => undefined },
    onNote: (note) => notes.push(note),
    filterNetwork: network.wrap,
  });
  const launch = await confinement.launch(['true'], '/');
  expect(launch.env).toEqual({});
  expect(notes.filter((note) => note.includes('allowed_domains'))).toHaveLength(1);
  launch.end();
});

test('a launch that has a network is not wrapped', async () => {
  filtered();
  const launch = { ...launchOf('true'), argv: [BUBBLEWRAP, '--', 'true'], commandAt: 2 };
  await expect(network.wrap(launch)).rejects.toThrow('Only a launch without network');
});

test('invalid entries are noted', () => {
  filtered({ allowedDomains: ['good.test', 'http://bad.test/'] });
  expect(notes).toHaveLength(1);
  expect(notes[0]).toContain('"http://bad.test/"');
});

test('launches of Seatbelt may reach one proxy on this machine', async () => {
  filtered();
  const flags = seatbeltArgv({ mode: 'read-only', writableRoots: [], network: false }, NO_PATHS);
  const launch = { ...launchOf(), argv: [...flags, 'true'], commandAt: flags.length };
  const [first, second] = [await network.wrap(launch), await network.wrap(launch)];
  const { port } = new URL(first.env.http_proxy ?? '');
  expect(first.argv[2]).toContain(`(allow network-outbound (remote ip "localhost:${port}"))`);
  expect(first.argv.slice(first.commandAt)).toEqual(['true']);
  expect(second).toEqual(first);
  const answer = await new Promise<IncomingMessage>((done) => get({ host: '127.0.0.1', port, path: url }, done));
  expect(await text(answer)).toBe('hello');
});

const NO_PATHS = { roots: [], readOnly: [], pinned: [], hidden: [], socketFolders: [] };

const PYTHON_GET = `
import sys, urllib.request, urllib.error
try:
    print(urllib.request.urlopen(sys.argv[1]).read().decode())
except urllib.error.HTTPError as e:
    print(e.code, e.read().decode())
`;
