// Measures the interactive terminal in a real pty, against the smallest Node program that draws a prompt and echoes
// (bench/terminal-floor.mjs), `oxbow exec`, and an empty thread, in turns in one run. Usage, after a build:
// node bench/terminal.mjs [NAME…] with names of the measurements below. With OXBOW_CODEX=/path/to/codex and
// OXBOW_PI=/path/to/pi it measures these programs too, as far as they can be compared.
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import xterm from '@xterm/headless';
import { block, writeRollout } from './long-rollout.mjs';
import { memoryMb, now, startProgram } from './terminal-driver.mjs';
import { peersAt } from './terminal-peers.mjs';

const STARTS = 15;
const KEYS = 300;
const RATE = 500;
const TOKENS = 10_000;
const LINES = 100_000;
/** Turns after which the growth of memory is read, scaled to 1,000. As many come before them, in which V8 compiles code. */
const TURNS = 300;
const MB = 1024 * 1024;
const LONG = { id: '0199aaaa-0000-7000-8000-000000000500', bytes: 500 * MB };
const SHORT = { id: '0199aaaa-0000-7000-8000-000000000010', bytes: 1 * MB };
const FILES = 100_000;
const PROMPT = '›';
/**
 * Letters that no answer and no line about the work has, more of them than stand in the draft at a time. ASCII, since
 * programs may guess whether such keys are a paste.
 */
const LETTERS = [...'BCDFGHJKLMNPQRSUVXYZ'];
/** Most time until the model is asked, or has answered. */
const WAIT_MS = 120_000;
const CLEAR = '\u0015';

const here = import.meta.dirname;
const PROGRAM = join(here, '../bin/oxbow');
const home = mkdtempSync(join(tmpdir(), 'oxbow-bench-'));
const model = fork(join(here, 'terminal-model.mjs'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
const open = new Set();
const rows = [];
let asked = 0;

const MEASURES = {
  code: measureCode,
  start: measureStart,
  keys: measureKeys,
  stream: measureStream,
  words: measureWords,
  waiting: measureWaiting,
  long: measureLong,
  memory: measureMemory,
  resume: measureResume,
  files: measureFiles,
  stall: measureStall,
  death: measureDeath,
};

try {
  const [port] = await once(model, 'message');
  model.setMaxListeners(50);
  const oxbow = oxbowAt(port);
  const peers = peersAt(port, home, oxbow.cwd);
  const chosen = process.argv.slice(2);
  for (const [name, measure] of Object.entries(MEASURES)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    await measure(oxbow, peers).catch((error) => {
      process.stdout.write(`terminal, ${name}: not measured: ${error.message}\n`);
      process.exitCode = 1;
    });
    await Promise.all([...open].map(close));
  }
  process.stdout.write(`terminal, load of the machine at the end: ${loadavg()[0].toFixed(1)}\n`);
  process.send?.(rows);
} finally {
  await Promise.all([...open].map(close));
  model.disconnect();
  rmSync(home, { recursive: true, force: true });
  process.disconnect?.();
}

/** Returns how Oxbow is started: with a home of its own in a folder with a repository. */
function oxbowAt(port) {
  const oxbowHome = join(home, 'oxbow');
  const cwd = join(home, 'workspace');
  for (const folder of [oxbowHome, cwd]) mkdirSync(folder, { recursive: true });
  spawnSync('git', ['init', '-q', cwd], { stdio: 'ignore' });
  writeFileSync(
    join(oxbowHome, 'config.toml'),
    `model = "bench"
model_provider = "bench"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.bench]
name = "bench"
base_url = "http://127.0.0.1:${port}/v1"
wire_api = "responses"
env_key = "BENCH_KEY"
`,
  );
  return { argv: [PROGRAM], cwd, env: { HOME: home, OXBOW_HOME: oxbowHome, BENCH_KEY: 'none' } };
}

function start({ argv, env, cwd }, ...args) {
  const program = startProgram({ argv: [...argv, ...args], env, cwd });
  open.add(program);
  return program;
}

async function close(program) {
  open.delete(program);
  await program.end();
}

/** Starts Oxbow and waits until it takes a prompt and nothing else is loaded. */
async function ready(setup, ...args) {
  const program = start(setup, ...args);
  await program.shows(setup.ready ?? /bench/);
  await quiet(program);
  return program;
}

/** Waits until a program has written nothing for a while. */
async function quiet(program, ms = 300) {
  for (;;) {
    const before = program.counts().bytes;
    await delay(ms);
    if (program.counts().bytes === before) return;
  }
}

/** Sends a prompt and resolves when the end of the answer is drawn. */
async function ask(program, text) {
  const number = ++asked;
  const drawn = program.shows(`Ω${number}Ω`, WAIT_MS);
  program.type(`${text} #${number}`);
  await delay(80);
  program.type('\r');
  await drawn;
  await quiet(program, 250);
}

async function told(type) {
  for (;;) {
    // A timeout of a signal does not keep the process alive.
    const [message] = await once(model, 'message', { signal: AbortSignal.timeout(WAIT_MS) });
    if (message.type === type) return message;
  }
}

/** Counts the JavaScript that is read before the first frame is written. */
async function measureCode(oxbow) {
  const hook = join(home, 'count-code.cjs');
  const list = join(home, 'code.json');
  writeFileSync(
    hook,
    `const fs = require('node:fs');
const { readFileSync, writeSync, writeFileSync } = fs;
const files = {};
fs.readFileSync = (path, ...rest) => {
  const text = readFileSync(path, ...rest);
  if (/\\.c?js$|bin.oxbow$/.test(String(path))) files[path] = text.length;
  return text;
};
fs.writeSync = (fd, bytes, ...rest) => {
  if (String(bytes).includes('${PROMPT}')) writeFileSync(${JSON.stringify(list)}, JSON.stringify(files));
  fs.writeSync = writeSync;
  return writeSync(fd, bytes, ...rest);
};
`,
  );
  const program = start({ ...oxbow, env: { ...oxbow.env, NODE_OPTIONS: `--require ${hook}` } });
  await program.shows(PROMPT);
  await delay(200);
  await close(program);
  const files = Object.entries(JSON.parse(readFileSync(list, 'utf8')));
  const kb = files.reduce((sum, [, size]) => sum + size, 0) / 1000;
  row('JavaScript loaded before the first frame', kb, { unit: 'kB', goal: 40, more: `${files.length} files` });
}

async function measureStart(oxbow, peers) {
  const floor = { argv: [join(here, 'terminal-floor.mjs')], cwd: oxbow.cwd, env: {} };
  const frames = await inTurns(STARTS, {
    floor: () => firstFrame(floor),
    oxbow: () => firstFrame(oxbow),
    ...eachPeer(peers, (peer) => firstFrame(peer)),
  });
  compared('first frame', frames, 'floor', 1.2);
  const requests = await inTurns(STARTS, {
    exec: () => execRequest(oxbow),
    oxbow: () => firstRequest(oxbow),
    ...eachPeer(peers, (peer) => firstRequest(peer)),
  });
  compared('prompt as argument to the first request', requests, 'exec', 1.2);
}

async function firstFrame(setup) {
  const program = start(setup);
  const at = await program.shows(setup.first ?? PROMPT);
  await close(program);
  return at - program.started;
}

async function firstRequest(setup) {
  const asked = told('request');
  const program = start(setup, 'hello there');
  const { arrived } = await asked;
  await close(program);
  return arrived - program.started;
}

async function execRequest({ argv, env, cwd }) {
  const asked = told('request');
  const started = now();
  const child = spawn(process.execPath, [...argv, 'exec', '--json', 'hello there'], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: 'ignore',
  });
  const { arrived } = await asked;
  await once(child, 'close');
  return arrived - started;
}

async function measureKeys(oxbow, peers) {
  const setups = { oxbow, ...peers };
  const names = Object.keys(setups);
  const programs = await Promise.all(names.map(async (name) => [name, await ready(setups[name])]));
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let index = 0; index < KEYS; index++) {
    for (const [name, program] of programs) times[name].push(await typeOne(program, index));
    await delay(8);
  }
  for (const name of names)
    keyRow(`key to screen, idle${of(name)}`, times[name], name === 'oxbow' ? [2, 8] : undefined);
}

/** Types the letter of this number, and empties the draft from time to time. Returns the milliseconds until it is shown. */
async function typeOne(program, index) {
  if (index % 16 === 0) {
    program.type(CLEAR);
    await delay(60);
  }
  return program.key(LETTERS[index % LETTERS.length]);
}

/** Measures the cost of a stream without a key, then the time of keys during another one. */
async function measureStream(oxbow, peers) {
  for (const [name, setup] of Object.entries({ oxbow, ...peers })) {
    const program = await ready(setup);
    await ask(program, 'hello there');
    const before = { ...program.counts(), processor: program.processorMs() };
    await ask(program, `tokens ${TOKENS} ${RATE}`);
    const after = program.counts();
    const bytes = (after.bytes - before.bytes) / TOKENS;
    const seconds = (program.processorMs() - before.processor) / 1000;
    const goals = name === 'oxbow' ? [40, 2.5] : [];
    row(`bytes per streamed token${of(name)}`, bytes, { unit: 'bytes', goal: goals[0] });
    const frames = ((after.frames - before.frames) / (TOKENS / RATE)).toFixed(0);
    const more = `${program.processes().length} processes, ${frames} frames/s`;
    row(`processor time of ${TOKENS} tokens at ${RATE}/s${of(name)}`, seconds, {
      unit: 's',
      goal: goals[1],
      more,
      digits: 2,
    });
    const answered = told('answered');
    program.type(`tokens ${(KEYS * RATE) / 20} ${RATE}`);
    await delay(50);
    program.type('\r');
    await delay(1000);
    const times = [];
    for (let index = 0; index < KEYS * 0.8; index++) {
      times.push(await typeOne(program, index));
      await delay(20 + (index % 7) * 3);
    }
    keyRow(`key to screen at ${RATE} tokens/s${of(name)}`, times, name === 'oxbow' ? [3, 10] : undefined);
    await answered;
    await close(program);
  }
}

/** Measures the time from the server's write of a word to the terminal. */
async function measureWords(oxbow) {
  const program = await ready(oxbow);
  await ask(program, 'hello there');
  const times = [];
  const seen = new Set();
  // The bytes of a word may be fewer than its letters, where the row had some of them already.
  const screen = new xterm.Terminal({ cols: 80, rows: 24, allowProposedApi: true });
  const look = (at) => {
    for (let row = 0; row < screen.buffer.active.length; row++) {
      const text = screen.buffer.active.getLine(row)?.translateToString(true) ?? '';
      for (const [, digits] of text.matchAll(/w(\d{6,})w/g)) {
        if (!seen.has(digits)) times.push(at - Number(digits) / 1000);
        seen.add(digits);
      }
    }
  };
  const stop = program.onData((data, at) => screen.write(data, () => look(at)));
  await ask(program, 'words 250');
  stop();
  row('a word on the screen after it was sent', median(times), { unit: 'ms', goal: 20, more: p99Text(times) });
}

async function measureWaiting(oxbow) {
  const program = await ready(oxbow);
  const idle = await rates(program, 5000);
  row('bytes/s while idle', idle.bytes, { unit: '', goal: 0, more: `${idle.frames.toFixed(1)} frames/s` });
  const answered = told('answered');
  program.type('wait 9000');
  await delay(50);
  program.type('\r');
  await delay(1500);
  const waiting = await rates(program, 6000);
  row('bytes/s while waiting', waiting.bytes, { unit: '', goal: 100 });
  row('frames/s while waiting', waiting.frames, { unit: '', goal: 1 });
  await answered;
}

async function rates(program, ms) {
  const before = program.counts();
  await delay(ms);
  const after = program.counts();
  const seconds = (after.at - before.at) / 1000;
  return { bytes: (after.bytes - before.bytes) / seconds, frames: (after.frames - before.frames) / seconds };
}

async function measureLong(oxbow) {
  const [empty, long] = [await ready(oxbow), await ready(oxbow)];
  await ask(empty, 'hello there');
  const began = now();
  await ask(long, `lines ${LINES}`);
  const seconds = (now() - began) / 1000;
  const times = { empty: [], long: [] };
  for (let index = 0; index < KEYS; index++) {
    const order = index % 2 === 0 ? ['empty', 'long'] : ['long', 'empty'];
    for (const name of order) times[name].push(await typeOne(name === 'long' ? long : empty, index));
    await delay(8);
  }
  const ratio = median(times.long) / median(times.empty);
  const more = `${ms(median(times.long))} and ${ms(median(times.empty))}; the answer took ${seconds.toFixed(0)} s and ${memoryMb(long.pid, 'VmRSS').toFixed(0)} MB`;
  row(`key to screen after ${LINES} lines, over an empty thread`, ratio, { unit: '', goal: 1.1, more, digits: 2 });
}

async function measureMemory(oxbow) {
  const program = await ready(oxbow);
  const atStart = memoryMb(program.pid, 'VmRSS');
  await ask(program, 'lines 5000');
  const more = `${atStart.toFixed(0)} at the start, peak ${memoryMb(program.pid, 'VmHWM').toFixed(0)}`;
  row('memory after an answer of 5000 lines', memoryMb(program.pid, 'VmRSS'), { unit: 'MB', goal: 100, more });
  const sizes = [];
  for (const columns of [100, 70, 80]) {
    const before = program.counts().bytes;
    program.resize(columns, 24);
    await delay(400);
    sizes.push(program.counts().bytes - before);
  }
  row('bytes of a resize', Math.max(...sizes), { unit: 'bytes', goal: 4096, digits: 0 });
  await close(program);
  await measureGrowth(oxbow);
}

/** Measures the memory in use after a collection of garbage, since the memory of a process also depends on its moment. */
async function measureGrowth(oxbow) {
  const hook = join(home, 'count-memory.cjs');
  const list = join(home, 'memory.json');
  writeFileSync(
    hook,
    `require('node:v8').setFlagsFromString('--expose-gc');
const { writeFileSync } = require('node:fs');
if (/bin.oxbow$/.test(process.argv[1])) process.on('SIGUSR2', () => {
  const gc = require('node:vm').runInNewContext('gc');
  for (let round = 0; round < 3; round++) gc();
  writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.memoryUsage()));
});
`,
  );
  const program = await ready({ ...oxbow, env: { ...oxbow.env, NODE_OPTIONS: `--require ${hook}` } });
  const used = async () => {
    process.kill(program.pid, 'SIGUSR2');
    await delay(1500);
    const { heapUsed, external, rss } = JSON.parse(readFileSync(list, 'utf8'));
    return { used: (heapUsed + external) / MB, rss: rss / MB };
  };
  for (let turn = 0; turn < TURNS; turn++) await shortTurn(program);
  const before = await used();
  for (let turn = 0; turn < TURNS; turn++) await shortTurn(program);
  const after = await used();
  const growth = after.used - before.used;
  const more = `${growth.toFixed(2)} in use over ${TURNS} turns, times ${(1000 / TURNS).toFixed(1)}; resident ${before.rss.toFixed(0)} and ${after.rss.toFixed(0)}`;
  row('growth of memory per 1000 turns', (growth * 1000) / TURNS, { unit: 'MB', goal: 5, more });
}

async function shortTurn(program) {
  const answered = told('answered');
  program.type('hello there');
  await delay(8);
  program.type('\r');
  await answered;
  await delay(40);
}

async function measureResume(oxbow) {
  for (const thread of [SHORT, LONG]) writeRollout(oxbow.env.OXBOW_HOME, { ...thread, cwd: oxbow.cwd }, block);
  const resumed = (id) => async () => {
    const program = start(oxbow, 'resume', id);
    const frame = program.shows(PROMPT);
    const shown = program.shows(/Question \d+/);
    const measured = { frame: (await frame) - program.started, shown: (await shown) - program.started };
    await close(program);
    return measured;
  };
  const measured = await inTurns(7, {
    empty: () => firstFrame(oxbow),
    short: resumed(SHORT.id),
    long: resumed(LONG.id),
  });
  const frames = { empty: measured.empty, oxbow: measured.long.map(({ frame }) => frame) };
  compared('resume of 500 MB to the first frame', frames, 'empty', 1.3);
  const shown = (name) => measured[name].map((run) => run.shown);
  compared(
    'resume of 500 MB to its last turns on the screen',
    { '1 MB': shown('short'), oxbow: shown('long') },
    '1 MB',
    1.3,
  );
}

/** Measures the last key of a name that the rows before did not have. */
async function measureFiles(oxbow) {
  const cwd = join(home, 'files');
  for (let folder = 0; folder < FILES / 100; folder++) {
    const path = join(cwd, `part${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < 100; file++) writeFileSync(join(path, `module${file}of${folder}.ts`), '');
  }
  spawnSync('git', ['init', '-q', cwd], { stdio: 'ignore' });
  const program = await ready({ ...oxbow, cwd });
  const listed = now();
  program.type('@module99of999');
  await program.shows('module99of999.ts', 30_000);
  const first = now() - listed;
  const times = [];
  for (let index = 0; index < 30; index++) {
    program.type(CLEAR);
    await delay(150);
    const [folder, file] = [137 + index * 29, 10 + index * 3];
    program.type(`@module${file}of${folder}`);
    await quiet(program, 150);
    program.type('\u007f');
    await quiet(program, 150);
    const key = String(folder).at(-1);
    const shown = program.shows(`module${file}of${folder}.ts`, 400).catch(() => undefined);
    const typed = now();
    program.type(key);
    const at = await shown;
    if (at !== undefined) times.push(at - typed);
  }
  const more = `${times.length} keys, longest ${ms(Math.max(...times))}; the first search took ${ms(first)}`;
  row(`@ in ${FILES} files, a key to its rows`, median(times), { unit: 'ms', goal: 20, more });
}

/** Measures the longest time between two rounds of the event loop, while the terminal reads and while it does not. */
async function measureStall(oxbow) {
  const hook = join(home, 'count-lag.cjs');
  const list = join(home, 'lag.json');
  writeFileSync(
    hook,
    `const { writeFileSync } = require('node:fs');
const lags = [];
let last = performance.now();
if (/bin.oxbow$/.test(process.argv[1])) {
  setInterval(() => {
    const at = performance.now();
    lags.push([Number(process.hrtime.bigint()) / 1e6, at - last - 5]);
    last = at;
  }, 5).unref();
  process.on('SIGUSR2', () => writeFileSync(${JSON.stringify(list)}, JSON.stringify(lags)));
}
`,
  );
  const program = await ready({ ...oxbow, env: { ...oxbow.env, NODE_OPTIONS: `--require ${hook}` } });
  await ask(program, 'hello there');
  const answered = told('answered');
  program.type(`tokens 6500 ${RATE}`);
  await delay(50);
  program.type('\r');
  await delay(1500);
  const times = [now()];
  await delay(5000);
  times.push(now());
  program.pause();
  await delay(5000);
  times.push(now());
  program.resume();
  await answered;
  process.kill(program.pid, 'SIGUSR2');
  await delay(300);
  const lags = JSON.parse(readFileSync(list, 'utf8'));
  const longest = (from, to) => Math.max(...lags.filter(([at]) => at > from && at < to).map(([, lag]) => lag));
  const [reading, paused] = [longest(times[0], times[1]), longest(times[1], times[2])];
  const more = `${ms(reading)} while the terminal reads`;
  row('longest stall while the terminal does not read for 5 s', paused, { unit: 'ms', goal: 50, more });
}

async function measureDeath(oxbow) {
  const times = [];
  let drafts = 0;
  for (let round = 0; round < 5; round++) {
    const draft = `unsent draft number ${round}`;
    const program = await ready(oxbow);
    program.type(CLEAR);
    program.type(draft);
    await quiet(program, 400);
    const undone = program.shows('\u001b[?2004l', 5000);
    const killed = now();
    program.kill();
    times.push((await undone) - killed);
    await close(program);
    const again = start(oxbow);
    drafts += await again.shows(draft, 5000).then(
      () => 1,
      () => 0,
    );
    await close(again);
  }
  row('modes undone after SIGKILL', median(times), {
    unit: 'ms',
    goal: 100,
    more: `longest ${ms(Math.max(...times))}`,
  });
  row('drafts that are there again after SIGKILL, of 5', drafts, { unit: '', goal: 5, isLeast: true, digits: 0 });
}

/** Calls each function in turns. The first round only warms up. */
async function inTurns(rounds, calls) {
  const names = Object.keys(calls);
  const measured = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const value = await calls[name]();
      if (round > 0) measured[name].push(value);
    }
  }
  return measured;
}

function eachPeer(peers, call) {
  return Object.fromEntries(Object.entries(peers).map(([name, peer]) => [name, () => call(peer)]));
}

/** Prints the times of programs next to those of a base. The ratio is the median of the ratios of each round. */
function compared(measure, measured, base, goal) {
  for (const [name, values] of Object.entries(measured)) {
    if (name === base || (name !== 'oxbow' && base === 'empty')) continue;
    const ratio = median(values.map((value, round) => value / measured[base][round]));
    const more = `${ms(median(values))} and ${ms(median(measured[base]))}, ${values.length} rounds`;
    row(`${measure}${of(name)}, over ${base}`, ratio, {
      unit: '',
      goal: name === 'oxbow' ? goal : undefined,
      more,
      digits: 2,
    });
  }
}

function keyRow(measure, times, goals) {
  const [middle, tail] = goals ?? [];
  const p99 = percentile(times, 0.99);
  row(measure, median(times), {
    unit: 'ms',
    goal: middle,
    more: `p99 ${ms(p99)}${tail === undefined ? '' : `, ${verdict(p99, tail)} ${tail}`}, ${times.length} keys`,
  });
}

function row(measure, value, { unit, goal, more, digits = 1, isLeast = false }) {
  const judged = goal === undefined ? [] : [`${isLeast ? verdict(goal, value) : verdict(value, goal)} ${goal}`];
  const notes = [...judged, ...(more === undefined ? [] : [more])].join(', ');
  const text = `terminal, ${measure}: ${value.toFixed(digits)}${unit === '' ? '' : ` ${unit}`}${notes === '' ? '' : ` (${notes})`}`;
  process.stdout.write(`${text}\n`);
  rows.push({ measure, value, goal: goal ?? null, text });
}

function of(name) {
  return name === 'oxbow' ? '' : `, ${name}`;
}

function ms(value) {
  return `${value.toFixed(1)} ms`;
}

function p99Text(times) {
  return `p99 ${ms(percentile(times, 0.99))}, ${times.length} words`;
}

function verdict(value, goal) {
  return value <= goal ? 'within' : 'over';
}

function delay(time) {
  return new Promise((resolve) => setTimeout(resolve, time));
}

function median(values) {
  return percentile(values, 0.5);
}

function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
