// Measures the gateway next to others that speak the Messages protocol to clients and Chat Completions to servers, in
// turns in one run. Each adds time to a direct call; the ratio compares these times. The others have to be installed in
// the folder that OXBOW_RIVALS names: npm install @musistudio/claude-code-router@2.0.0 @bitkyc08/opencodex@2.63.0. A
// gateway that is missing or does not start is left out with a line. Run by bench/run.mjs; alone: node bench/rivals.mjs
// (after a build). Exits with 0 whatever the ratios are.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, streamsPerSecond } from './gateway-client.mjs';

const ROUNDS = 5;
const STREAMS = 60;
const WORDS = 50;
/** The measured streams come one after the other, for which V8 optimises some code again. */
const WARM_UPS = [
  { count: 2000, words: WORDS, atOnce: 8 },
  { count: 500, words: WORDS, atOnce: 1 },
];
const START_MS = 20_000;
/** Everything that still runs is ended after this time. */
const END_MS = 150_000;
/** Most that the gateway may add, over the time that another one adds. */
const MOST = 0.2;

const STARTERS = { pipe: startPipe, oxbow: startOxbow, 'claude-code-router': startRouter, opencodex: startOpencodex };

const here = import.meta.dirname;
const folder = process.env.OXBOW_RIVALS ?? '';
const home = mkdtempSync(join(tmpdir(), 'oxbow-bench-rivals-'));
const children = new Set();
const limit = setTimeout(() => giveUp(new Error('The measurement of the rivals took too long.')), END_MS);

try {
  const model = fork(join(here, 'gateway-model.mjs'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  children.add(model);
  const [port] = await once(model, 'message');
  const targets = { direct: { client: createClient(`http://127.0.0.1:${port}`, 'chat'), name: modelName } };
  for (const [title, start] of Object.entries(STARTERS)) {
    const started = await start(port).catch((error) => process.stderr.write(`${title}: ${error.message}\n`));
    if (started instanceof Object) targets[title] = started;
  }
  const rows = rowsOf(await measure(targets));
  for (const { measure: title, shown, verdict } of rows) {
    process.stdout.write(`${title.padEnd(46)}  ${shown}  ${verdict}\n`);
  }
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
  for (const child of children) {
    end(child);
    child.stderr?.destroy();
  }
  children.clear();
  rmSync(home, { recursive: true, force: true });
  process.disconnect?.();
}

/** Ends a program and the programs that it started. */
function end({ pid, exitCode, signalCode }) {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    process.kill(pid, 'SIGKILL');
  }
}

/** Starts a pipe, from chat to chat: the least that any gateway adds. */
async function startPipe(port) {
  const child = fork(join(here, 'gateway-pipe.mjs'), [String(port)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  });
  children.add(child);
  const [own] = await once(child, 'message');
  return { client: createClient(`http://127.0.0.1:${own}`, 'chat'), name: modelName };
}

async function startOxbow(port) {
  const argv = ['gateway', '--port', '0', '--upstream', `http://127.0.0.1:${port}/v1`, '--wire', 'chat'];
  const child = run(process.execPath, [join(here, '../bin/oxbow'), ...argv], { OXBOW_HOME: home });
  const [line] = await Promise.race([once(child.stderr, 'data'), once(child, 'exit').then(() => [''])]);
  const url = /http:\/\/[\d.:]+/.exec(line)?.[0];
  if (url === undefined) throw new Error(`does not start: ${line}`);
  return { client: createClient(url, 'messages'), name: modelName };
}

async function startRouter(port) {
  const own = await freePort();
  const models = [modelName('burst-50'), modelName('burst-1')];
  const provider = { name: 'mock', api_base_url: `http://127.0.0.1:${port}/v1/chat/completions`, api_key: 'x', models };
  writeJson('.claude-code-router/config.json', {
    HOST: '127.0.0.1',
    PORT: own,
    NON_INTERACTIVE_MODE: true,
    LOG: false,
    Providers: [provider],
    Router: { default: 'mock,burst-50' },
  });
  run(process.execPath, [installed('ccr'), 'start'], {});
  return ready(own, (model) => `mock,${model}`);
}

async function startOpencodex(port) {
  const own = await freePort();
  const provider = { adapter: 'openai-chat', baseUrl: `http://127.0.0.1:${port}/v1`, allowPrivateNetwork: true };
  writeJson('ocx/config.json', {
    port: own,
    providers: { mock: { ...provider, authMode: 'key', apiKey: 'x', defaultModel: 'burst-50' } },
    defaultProvider: 'mock',
  });
  mkdirSync(join(home, 'codex'));
  const env = { OPENCODEX_HOME: join(home, 'ocx'), CODEX_HOME: join(home, 'codex') };
  run(process.execPath, [installed('ocx'), 'start', '--port', String(own)], env);
  return ready(own, (model) => `mock/${model}`);
}

function installed(program) {
  const path = join(folder, 'node_modules/.bin', program);
  if (folder === '' || !existsSync(path)) throw new Error('is not installed in OXBOW_RIVALS; left out.');
  return path;
}

function writeJson(path, value) {
  mkdirSync(join(home, path, '..'), { recursive: true });
  writeFileSync(join(home, path), JSON.stringify(value));
}

function run(program, argv, env) {
  const child = spawn(program, argv, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  children.add(child);
  child.stderr.resume();
  return child;
}

/** Waits until a gateway answers. */
async function ready(port, name) {
  const client = createClient(`http://127.0.0.1:${port}`, 'messages');
  const end = performance.now() + START_MS;
  for (;;) {
    try {
      await client.stream(name('burst-1'), () => {});
      return { client, name };
    } catch (error) {
      if (performance.now() > end) throw new Error(`does not answer (${error.message}); left out.`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function modelName(model) {
  return model;
}

/** Measures all targets in turns: the time to the first byte and of the whole stream, in milliseconds. */
async function measure(targets) {
  const times = Object.fromEntries(Object.keys(targets).map((title) => [title, { first: [], whole: [] }]));
  for (const { client, name } of Object.values(targets)) {
    for (const form of WARM_UPS) await streamsPerSecond(named(client, name), form);
  }
  const names = Object.keys(targets);
  for (let round = 0; round < ROUNDS; round++) {
    for (const title of [...names.slice(round % names.length), ...names.slice(0, round % names.length)]) {
      const { client, name } = targets[title];
      for (let n = 0; n < STREAMS; n++) {
        const { first, whole } = await timed(client, name(`burst-${WORDS}`));
        times[title].first.push(first);
        times[title].whole.push(whole);
      }
    }
  }
  return times;
}

/** Returns a client that asks for models by the names of a gateway. */
function named(client, name) {
  return { ...client, stream: (model, onData) => client.stream(name(model), onData) };
}

async function timed(client, model) {
  const began = performance.now();
  let first = 0;
  await client.stream(model, () => {
    first ||= performance.now();
  });
  return { first: first - began, whole: performance.now() - began };
}

function rowsOf({ direct, pipe, oxbow, ...others }) {
  const rows = [];
  const ms = (time) => `${time.toFixed(2)} ms`;
  const added = (times, kind) => median(times[kind]) - median(direct[kind]);
  for (const kind of ['first', 'whole']) {
    const title = kind === 'first' ? 'first byte' : `${WORDS} words`;
    for (const [name, times] of Object.entries(others)) {
      const [own, other, least] = [added(oxbow, kind), added(times, kind), added(pipe, kind)];
      const ratio = own / other;
      rows.push({
        measure: `messages to chat, ${title}, beside ${name}`,
        addedMs: own,
        otherAddedMs: other,
        ratio,
        most: MOST,
        pipeAddedMs: least,
        shown: `the gateway adds ${ms(own)}, the other ${ms(other)}, ratio ${ratio.toFixed(2)} (at most ${MOST}; a bare pipe adds ${ms(least)}, ratio ${(least / other).toFixed(2)})`,
        verdict: ratio <= MOST ? 'within' : 'over',
      });
    }
  }
  return rows;
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
