// Measures the gateway against a direct call and a bare pipe, in turns in one run, because only ratios mean anything on
// a shared machine. The model server, the pipe, the gateway and the client (here) are processes of their own. Run by
// bench/run.mjs; alone: node bench/gateway.mjs (after a build). Exits with 0 whatever the ratios are. With --clients it
// measures two gateways from chat to chat instead, which differ only in their HTTP client: ours, and one over
// node:http. With --against FOLDER it also measures the gateway of another clone.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { chunkMs, createClient, firstByteMs, holdStreams, streamsPerSecond } from './gateway-client.mjs';

/**
 * Processes of the same program differ in speed, so each is restarted this often and the medians are taken over all of
 * them.
 */
const SITTINGS = 4;
const ROUNDS = 3;
const FIRST_BYTES = 100;
const PACED_STREAMS = 10;
const PACED_WORDS = 30;
/**
 * V8 optimises code that ran often, and much of an exchange runs once per exchange. Code for one form of streams is
 * optimised again for the next form, so all forms run before they are measured.
 */
const WARM_UPS = [
  { count: 2000, words: 5, atOnce: 32 },
  { way: 'paced', count: 320, words: PACED_WORDS, atOnce: 32 },
  { count: 1000, words: 50, atOnce: 32 },
  { count: 500, words: 1, atOnce: 1 },
];
const BURST = { count: 192, words: 50, atOnce: 32 };
/** Chunks besides the words: the role, the finish, the usage, the end. */
const OTHER_CHUNKS = 4;
const HELD = { count: 5000, atOnce: 64 };
/** Fewer streams for the pipe: only its memory per stream is compared. */
const HELD_BY_PIPE = { count: 1000, atOnce: 64 };
/** Long requests, which must not be kept while the answer streams. */
const HELD_LONG = { count: 300, atOnce: 16, requestChars: 200_000 };
/** Time to release the memory that was used while the streams began. */
const SETTLE_MS = 500;
/** No further sitting begins after this time; the medians are then taken over fewer. */
const LAST_SITTING_MS = 60_000;
/** Everything that still runs is ended after this time. */
const END_MS = 180_000;
const { values: options } = parseArgs({ options: { clients: { type: 'boolean' }, against: { type: 'string' } } });
const GATEWAYS = options.clients
  ? ['own', 'node']
  : options.against === undefined
    ? ['chat', 'responses', 'messages', 'ollama']
    : ['chat', 'chatBeside', 'responses', 'responsesBeside'];
const NAMES = ['direct', 'pipe', ...GATEWAYS];
const TITLES = {
  pipe: 'bare pipe',
  chat: 'chat to chat',
  responses: 'responses to chat',
  messages: 'messages to chat',
  ollama: 'ollama to chat',
  chatBeside: 'chat to chat, against',
  responsesBeside: 'responses to chat, against',
  own: 'own client',
  node: 'client over node:http',
};

const starters = {
  chat: (port) => startGateway(port),
  responses: (port) => startGateway(port),
  messages: (port) => startGateway(port),
  ollama: (port) => startGateway(port),
  chatBeside: (port) => startGateway(port, options.against),
  responsesBeside: (port) => startGateway(port, options.against),
  own: async (port) => startForked('gateway-over.mjs', [await builtParts(), String(port), 'own']),
  node: async (port) => startForked('gateway-over.mjs', [await builtParts(), String(port), 'node']),
  pipe: (port) => startForked('gateway-pipe.mjs', [String(port)]),
};

const wireOf = (name) => ['responses', 'messages', 'ollama'].find((wire) => name.startsWith(wire)) ?? 'chat';

const here = import.meta.dirname;
const began = performance.now();
const home = mkdtempSync(join(tmpdir(), 'oxbow-bench-gateway-'));
const children = new Set();
/** The file that `builtParts` writes. */
let parts;
const limit = setTimeout(() => giveUp(new Error('The measurement of the gateway took too long.')), END_MS);

try {
  const model = await startForked('gateway-model.mjs');
  const rows = [...(await measureStreams(model)), ...(await measureHeld(model))];
  for (const { measure, shown, verdict } of rows) process.stdout.write(`${measure.padEnd(46)}  ${shown}  ${verdict}\n`);
  process.send?.(rows);
} catch (error) {
  giveUp(error);
} finally {
  clearTimeout(limit);
  endAll();
}

function giveUp(error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
  endAll();
}

function endAll() {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  rmSync(home, { recursive: true, force: true });
  process.disconnect?.();
}

/** Starts a target of the measurement: its URL, its process and a client for it. */
async function startForked(file, args = []) {
  const child = fork(join(here, file), args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    env: { HOME: home, OXBOW_HOME: home },
  });
  children.add(child);
  const [port] = await answerOf(child, file);
  return { child, port, url: `http://127.0.0.1:${port}` };
}

async function startGateway(port, folder = join(here, '..')) {
  const argv = ['gateway', '--port', '0', '--upstream', `http://127.0.0.1:${port}/v1`, '--wire', 'chat'];
  const child = spawn(process.execPath, [resolve(folder, 'bin/oxbow'), ...argv], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, OXBOW_HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.add(child);
  const [line] = await Promise.race([once(child.stderr, 'data'), once(child, 'exit').then(() => [''])]);
  const url = /http:\/\/[\d.:]+/.exec(line)?.[0];
  if (url === undefined) throw new Error(`The gateway did not start: ${line}`);
  child.stderr.pipe(process.stderr);
  return { child, url };
}

/** Builds the parts for gateway-over.mjs. Returns the file. */
async function builtParts() {
  parts ??= buildParts();
  return parts;
}

async function buildParts() {
  const outfile = join(home, 'gateway-parts.mjs');
  const sources = ['gateway/start-gateway', 'config/load-config', 'config/real-world'];
  const client = ['model/http/create-http', 'model/http', 'model/idle-timer'];
  const contents = [...sources, ...client].map((path) => `export * from './src/${path}.ts';`).join('\n');
  const { version } = JSON.parse(readFileSync(join(here, '../package.json'), 'utf8'));
  await build({
    stdin: { contents, resolveDir: join(here, '..') },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    define: { OXBOW_VERSION: JSON.stringify(version) },
    logLevel: 'warning',
  });
  return outfile;
}

async function answerOf(child, name) {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    const answer = await Promise.race([once(child, 'message', { signal }), once(child, 'exit', { signal })]);
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${name} ended too early.`);
    return answer;
  } finally {
    // The listeners of the other event would stay.
    waiting.abort();
  }
}

function stop({ child }) {
  children.delete(child);
  child.kill('SIGKILL');
}

/** Measures times and throughput. */
async function measureStreams(model) {
  const rounds = [];
  for (let sitting = 0; sitting < SITTINGS; sitting++) {
    if (sitting > 0 && performance.now() - began > LAST_SITTING_MS) break;
    rounds.push(...(await measureSitting(model, sitting)));
  }
  return streamRows(rounds);
}

/** Measures all targets in turns. Every process but the model server is fresh. */
async function measureSitting(model, sitting) {
  const targets = { direct: { client: createClient(model.url, 'chat'), child: model.child } };
  for (const name of ['pipe', ...GATEWAYS]) {
    const { child, url } = await starters[name](model.port);
    targets[name] = { child, client: createClient(url, wireOf(name)) };
  }
  for (const { client } of Object.values(targets)) for (const form of WARM_UPS) await streamsPerSecond(client, form);
  await measureRound(targets, sitting);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measureRound(targets, sitting + round));
  for (const { client } of Object.values(targets)) client.close();
  for (const name of ['pipe', ...GATEWAYS]) stop(targets[name]);
  return rounds;
}

/** Measures one round. The order changes, so that no target always follows the same one. */
async function measureRound(targets, round) {
  const from = round % NAMES.length;
  const order = [...NAMES.slice(from), ...NAMES.slice(0, from)];
  const measured = Object.fromEntries(NAMES.map((name) => [name, {}]));
  for (const name of order) measured[name].firstMs = await medianFirst(targets[name].client);
  for (const name of order) Object.assign(measured[name], await paced(targets[name]));
  for (const name of order) Object.assign(measured[name], await burst(targets[name]));
  return measured;
}

async function medianFirst(client) {
  const times = [];
  for (let n = 0; n < FIRST_BYTES; n++) times.push(await firstByteMs(client));
  return median(times);
}

async function paced({ client, child }) {
  const before = cpuMs(child.pid);
  const times = [];
  for (let n = 0; n < PACED_STREAMS; n++) times.push(...(await chunkMs(client, PACED_WORDS)));
  const chunks = PACED_STREAMS * (PACED_WORDS + OTHER_CHUNKS);
  return { chunkMs: median(times), pacedCpuMs: ((cpuMs(child.pid) - before) / chunks) * 1000 };
}

async function burst({ client, child }) {
  const before = cpuMs(child.pid);
  const perSecond = await streamsPerSecond(client, BURST);
  const chunks = BURST.count * (BURST.words + OTHER_CHUNKS);
  return { perSecond, burstCpuMs: ((cpuMs(child.pid) - before) / chunks) * 1000 };
}

function streamRows(rounds) {
  const of = (name, value) => rounds.map((round) => round[name][value]);
  const rows = [];
  const first = { title: 'first byte', value: 'firstMs' };
  const chunk = { title: 'each chunk', value: 'chunkMs' };
  for (const { title, value } of [first, chunk]) {
    for (const name of GATEWAYS) {
      rows.push({
        measure: `${title}, ${TITLES[name]}`,
        ...addedOver(of('direct', value), of('pipe', value), of(name, value)),
      });
    }
  }
  for (const name of [...GATEWAYS, 'pipe']) {
    const least = name === 'pipe' ? null : 0.6;
    rows.push({
      measure: `throughput, ${TITLES[name]}`,
      ...throughput(of('direct', 'perSecond'), of(name, 'perSecond'), least),
    });
  }
  const paced = { title: 'one at a time', value: 'pacedCpuMs' };
  const burst = { title: 'in bursts', value: 'burstCpuMs' };
  for (const { title, value } of [paced, burst]) rows.push(cpuRow(title, value, of));
  return rows;
}

/** Compares the time that the gateway adds to a direct call with the time that the pipe adds. */
function addedOver(direct, pipe, own) {
  const added = { pipe: pipe.map((ms, round) => ms - direct[round]), own: own.map((ms, round) => ms - direct[round]) };
  // Medians: in a single round the pipe may add next to nothing.
  const ratio = median(added.own) / median(added.pipe);
  const us = (times) => `${(median(times) * 1000).toFixed(0)} µs`;
  return {
    directMs: median(direct),
    pipeAddedMs: median(added.pipe),
    addedMs: median(added.own),
    ratio,
    most: 1.3,
    rounds: direct.length,
    shown: `direct ${us(direct)}, the pipe adds ${us(added.pipe)}, the gateway ${us(added.own)}, ratio ${ratio.toFixed(2)} (at most 1.3)`,
    verdict: ratio <= 1.3 ? 'within' : 'over',
  };
}

function throughput(direct, own, least) {
  const ratio = median(own.map((perSecond, round) => perSecond / direct[round]));
  const limitText = least === null ? '' : ` (at least ${least})`;
  return {
    directPerSecond: median(direct),
    perSecond: median(own),
    ratio,
    least,
    shown: `${median(direct).toFixed(0)} → ${median(own).toFixed(0)} streams/s, ratio ${ratio.toFixed(2)}${limitText}`,
    verdict: least === null ? 'for information' : ratio >= least ? 'within' : 'under',
  };
}

function cpuRow(title, value, of) {
  const ms = Object.fromEntries(['pipe', ...GATEWAYS].map((name) => [name, mean(of(name, value))]));
  const texts = Object.entries(ms).map(([name, time]) => `${TITLES[name]} ${time.toFixed(1)} ms`);
  return {
    measure: `CPU for 1,000 chunks, ${title}`,
    ...ms,
    shown: Number.isNaN(ms.pipe) ? 'not known here' : texts.join(', '),
    verdict: 'for information',
  };
}

/** Measures streams that are held at once, each time in front of a fresh process with no other memory. */
async function measureHeld(model) {
  const rows = [];
  const [first] = GATEWAYS;
  const cases = [
    ...GATEWAYS.map((name) => ({ name, wanted: HELD })),
    { name: 'pipe', wanted: HELD_BY_PIPE },
    { name: first, wanted: HELD_LONG, title: ', requests of 200 kB' },
  ];
  for (const { name, wanted, title = '' } of cases) {
    const target = await starters[name](model.port);
    rows.push({ measure: `held at once, ${TITLES[name]}${title}`, ...(await hold(target, { name, wanted, model })) });
    stop(target);
  }
  return rows;
}

async function hold(target, { name, wanted, model }) {
  const client = createClient(target.url, wireOf(name), wanted.requestChars);
  await streamsPerSecond(client, BURST);
  const { pid } = target.child;
  const before = memoryMb(pid, 'VmRSS');
  const streams = await holdStreams(client, wanted);
  const held = await ask(model.child, 'count');
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const mb = memoryMb(pid, 'VmRSS');
  await ask(model.child, 'release');
  const ended = await streams.ended();
  client.close();
  const peakMb = memoryMb(pid, 'VmHWM');
  const kbEach = ((mb - before) * 1024) / wanted.count;
  const isWhole = held === wanted.count && ended === wanted.count;
  const size = Number.isNaN(mb)
    ? ''
    : `, ${mb.toFixed(0)} MB (peak ${peakMb.toFixed(0)}), ${kbEach.toFixed(1)} kB each`;
  return {
    held,
    ended,
    mb,
    peakMb,
    kbEach,
    shown: `${held} streams, ${ended} came to their end${size}`,
    verdict: name === 'pipe' ? 'for information' : isWhole ? 'within' : 'under',
  };
}

async function ask(child, message) {
  child.send(message);
  const [answer] = await answerOf(child, 'The model server');
  return answer;
}

/** Returns the processor time of a process so far; NaN without /proc. */
function cpuMs(pid) {
  const [, rest = ''] = procFile(pid, 'stat').split(/\) /);
  const [user, system] = rest.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

function memoryMb(pid, field) {
  const [, kb] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(procFile(pid, 'status')) ?? [];
  return Number(kb) / 1024;
}

function procFile(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
