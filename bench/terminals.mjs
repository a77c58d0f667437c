// Measures what exec_command adds to a command: its start, and the reading of a gigabyte of output, as ratios to a bare
// process in the same run. Usage: node bench/terminals.mjs.
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const STARTS = 100;
const READS = 5;
const BYTES = 1_000_000_000;
/**
 * The highest ratio to a bare start, the lowest ratio to the speed of a bare reader, and the most additional memory.
 */
const BUDGETS = { start: 1.3, speed: 0.6, growthMb: 10 };

const POLICY = { mode: 'danger-full-access', writableRoots: [], network: true };
const SHELL = '/bin/bash';
const [role, home = mkdtempSync(join(tmpdir(), 'oxbow-bench-'))] = process.argv.slice(2);

if (role === undefined) await compareAll();
else process.send(await measureRead(role), () => process.disconnect());

async function compareAll() {
  try {
    await bundle();
    const rows = [await compareStarts(), ...(await compareReads())];
    for (const row of rows) print(row);
    process.send?.(rows);
  } finally {
    rmSync(home, { recursive: true, force: true });
    process.disconnect?.();
  }
}

async function bundle() {
  await build({
    entryPoints: [join(import.meta.dirname, '../src/exec/environment/local-environment.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: join(home, 'exec.mjs'),
    external: ['@lydell/node-pty'],
  });
}

async function openEnvironment() {
  const { createLocalEnvironment } = await import(pathToFileURL(join(home, 'exec.mjs')));
  return createLocalEnvironment({
    shell: SHELL,
    baseEnv: { PATH: '/usr/bin:/bin', HOME: home },
    environmentPolicy: { inherit: 'all', ignoreDefaultExcludes: true, exclude: [], set: {}, includeOnly: [] },
    threadId: '',
    version: '',
    world: {
      now: () => performance.now(),
      monotonic: () => performance.now(),
      uuid: () => String(process.pid),
      random: Math.random,
    },
  });
}

/** Runs a command as exec_command does: from the call until the answer. */
async function runCommand(environment, argv) {
  const action = { kind: 'command', argv, cwd: home, login: true, escalate: false, yieldMs: 30_000 };
  const options = { callId: '', policy: POLICY, sandboxed: false, onOutput() {}, onExit() {} };
  const terminal = await environment.open(action, options);
  const { exitCode, text } = await terminal.collect(action.yieldMs, new AbortController().signal);
  if (exitCode !== 0) throw new Error(`${argv.join(' ')} ended with ${exitCode}`);
  return text;
}

async function runBare(argv) {
  const [program, ...args] = argv;
  const child = spawn(program, args, {
    cwd: home,
    env: { PATH: '/usr/bin:/bin', HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.resume();
  child.stderr.resume();
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}`);
}

async function compareStarts() {
  const argv = [SHELL, '-c', 'true'];
  const environment = await openEnvironment();
  environment.prepare(POLICY);
  await runCommand(environment, argv);
  const times = { bare: [], own: [] };
  for (let round = 0; round < STARTS; round++) {
    times.bare.push(await timed(() => runBare(argv)));
    times.own.push(await timed(() => runCommand(environment, argv)));
  }
  await environment.close();
  const ratio = median(times.own.map((own, round) => own / times.bare[round]));
  const [bare, own] = [median(times.bare), median(times.own)];
  return { measure: 'true through exec_command', unit: 'ms', bare, own, ratio, budget: BUDGETS.start, rounds: STARTS };
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Compares the reads, each in a process of its own because of its memory. */
async function compareReads() {
  const reads = { bare: [], own: [] };
  for (let round = 0; round < READS; round++) {
    const order = round % 2 === 0 ? ['bare', 'own'] : ['own', 'bare'];
    for (const name of order) reads[name].push(await readApart(name));
  }
  const speeds = reads.own.map(({ mbPerSecond }, round) => mbPerSecond / reads.bare[round].mbPerSecond);
  const growths = reads.own.map(({ growthMb }, round) => growthMb - reads.bare[round].growthMb);
  const [bare, own] = [reads.bare, reads.own].map((all) => median(all.map(({ mbPerSecond }) => mbPerSecond)));
  const [bareMb, ownMb] = [reads.bare, reads.own].map((all) => median(all.map(({ growthMb }) => growthMb)));
  const speed = { measure: '1 GB of output, speed', unit: 'MB/s', bare, own, ratio: median(speeds), rounds: READS };
  const growth = { measure: '1 GB of output, memory', unit: 'MB', bare: bareMb, own: ownMb, rounds: READS };
  return [
    { ...speed, budget: BUDGETS.speed, isFloor: true },
    { ...growth, difference: median(growths), budget: BUDGETS.growthMb },
  ];
}

async function readApart(name) {
  const child = fork(import.meta.filename, [name, home], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [result] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [null])]);
  if (result === null) throw new Error(`The reading by "${name}" ended too early.`);
  return result;
}

async function measureRead(name) {
  const environment = name === 'own' ? await openEnvironment() : undefined;
  const read = (bytes) => {
    const argv = [SHELL, '-c', `head -c ${bytes} /dev/zero`];
    return environment === undefined ? readBare(argv) : runCommand(environment, argv);
  };
  // Warms up and creates everything that is created once.
  await read(1_000_000);
  const before = memoryMb('VmRSS');
  writeFileSync('/proc/self/clear_refs', '5');
  const ms = await timed(() => read(BYTES));
  const growthMb = memoryMb('VmHWM') - before;
  await environment?.close();
  return { mbPerSecond: BYTES / 1e6 / (ms / 1000), growthMb };
}

/** Reads a pipe with a block that is allocated once: the least that Node can do. */
async function readBare([program, ...args]) {
  const path = join(home, `pipe-${process.pid}`);
  execFileSync('/bin/sh', ['-c', 'exec mkfifo "$0"', path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  rmSync(path);
  const child = spawn(program, args, { stdio: ['ignore', writer, writer] });
  closeSync(writer);
  let bytes = 0;
  const socket = new Socket({
    fd: reader,
    readable: true,
    writable: false,
    onread: {
      buffer: Buffer.allocUnsafe(64 * 1024),
      callback(length) {
        bytes += length;
        return true;
      },
    },
  });
  socket.resume();
  await Promise.all([once(socket, 'close'), once(child, 'exit')]);
  return bytes;
}

function memoryMb(field) {
  const [, kb] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'latin1'));
  return Number(kb) / 1024;
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function print({ measure, unit, bare, own, ratio, difference, budget, isFloor = false }) {
  const value = ratio ?? difference;
  const within = isFloor ? value >= budget : value <= budget;
  const shown = ratio === undefined ? `${difference >= 0 ? '+' : ''}${difference.toFixed(1)}` : ratio.toFixed(2);
  const cells = [
    `terminals, ${measure}`.padEnd(38),
    `${bare.toFixed(1)} ${unit}`.padStart(12),
    `${own.toFixed(1)} ${unit}`.padStart(14),
    shown.padStart(8),
    `  ${within ? 'within' : 'over'} ${budget}`,
  ];
  process.stdout.write(`${cells.join('')}\n`);
}
