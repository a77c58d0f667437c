// Measures long threads and many of them: resuming a rollout of 500 MB against one of 10 MB, the usage of 500 MB, the
// memory of an idle thread, and a thousand threads at once in one process. Usage: node bench/threads.mjs
// [resume|usage|idle|many].
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { block, context, OUTPUT, user, writeRollout } from './long-rollout.mjs';

const MB = 1024 * 1024;
const SHORT = { id: '0199aaaa-0000-7000-8000-000000000010', bytes: 10 * MB };
const LONG = { id: '0199aaaa-0000-7000-8000-000000000500', bytes: 500 * MB };
const TURNS = { id: '0199aaaa-0000-7000-8000-000000032000', bytes: 500 * MB };
const RESUMES = 7;
const USAGES = 5;
const THREADS = 1000;
const WITH_COMMANDS = 50;
const ROUNDS = 3;
const CALLS = 2;
const BUDGETS = { resume: 2, usageSeconds: 1, usageMb: 100, idleKb: 200, manyMb: 300, descriptors: 1100, lagMs: 100 };

const REASONING = 'gAAAAABo'.repeat(400);

const [role, port, home] = process.argv.slice(2);
if (role === 'model') serveModel();
else if (role === 'idle' && port) await tell(measureIdle());
else if (role === 'many' && port) await tell(measureMany());
else await compareAll(mkdtempSync(join(tmpdir(), 'oxbow-bench-')));

async function compareAll(folder) {
  const model = fork(import.meta.filename, ['model'], { execArgv: [] });
  try {
    const [modelPort] = await once(model, 'message');
    const measures = {
      resume: () => compareResumes(folder, model, modelPort),
      usage: () => measureUsage(folder, modelPort),
      idle: () => apart('idle', modelPort, folder),
      many: () => apart('many', modelPort, folder),
    };
    const rows = [];
    for (const [name, measure] of Object.entries(measures)) {
      if (role === undefined || role === name) rows.push(...[await measure()].flat());
    }
    for (const row of rows) process.stdout.write(`${row.text}\n`);
    process.send?.(rows);
  } finally {
    model.disconnect();
    rmSync(folder, { recursive: true, force: true });
    process.disconnect?.();
  }
}

async function compareResumes(folder, model, modelPort) {
  const oxbowHome = configure(join(folder, 'resume'), modelPort);
  for (const thread of [SHORT, LONG]) writeRollout(oxbowHome, thread, block);
  const measured = { [SHORT.id]: [], [LONG.id]: [] };
  for (let round = 0; round <= RESUMES; round++) {
    for (const { id } of round % 2 === 0 ? [SHORT, LONG] : [LONG, SHORT]) {
      const run = await resume(oxbowHome, id, model);
      if (round > 0) measured[id].push(run);
    }
  }
  const of = (id, value) => median(measured[id].map(value));
  return [
    ['time to the first request', 'ms', (run) => run.ms],
    ['peak memory', 'MB', (run) => run.mb],
  ].map(([name, unit, value]) => {
    const [short, long] = [of(SHORT.id, value), of(LONG.id, value)];
    const ratio = long / short;
    const text = `going on with 500 MB beside 10 MB, ${name}: ${short.toFixed(0)} and ${long.toFixed(0)} ${unit}, ratio ${ratio.toFixed(2)} (${verdict(ratio, BUDGETS.resume)}, ${RESUMES} rounds)`;
    return { measure: name, short, long, ratio, text };
  });
}

async function resume(oxbowHome, id, model) {
  const asked = once(model, 'message');
  const started = now();
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../bin/oxbow'), 'exec', '--json', '--skip-git-repo-check', 'resume', id, 'slowly'],
    {
      cwd: oxbowHome,
      env: { PATH: process.env.PATH, HOME: oxbowHome, OXBOW_HOME: oxbowHome, BENCH_KEY: 'none' },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const [arrived] = await asked;
  const mb = statusMb(child.pid, 'VmHWM');
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`oxbow could not go on with ${id}: exit code ${code}`);
  return { ms: arrived - started, mb };
}

/** Measures `oxbow usage` over a long thread of short turns: one call each, with an output of some pages. */
function measureUsage(folder, modelPort) {
  const oxbowHome = configure(join(folder, 'usage'), modelPort);
  const turns = writeRollout(oxbowHome, TURNS, shortTurn);
  const runs = Array.from({ length: USAGES }, () => usage(oxbowHome));
  const [seconds, cpu, mb] = ['seconds', 'cpu', 'mb'].map((name) => median(runs.map((run) => run[name])));
  const text = `usage of 500 MB with ${turns} turns: ${seconds.toFixed(2)} s (${verdict(seconds, BUDGETS.usageSeconds)} ${BUDGETS.usageSeconds}), ${cpu.toFixed(2)} s of processor time, ${mb.toFixed(0)} MB (${verdict(mb, BUDGETS.usageMb)} ${BUDGETS.usageMb}, ${USAGES} rounds)`;
  return { measure: 'usage', turns, seconds, cpu, mb, text };
}

/** Runs the command in a process that reports its own costs when it ends. */
function usage(oxbowHome) {
  const costs = join(oxbowHome, 'costs.json');
  const report = `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(costs)}, JSON.stringify({
    usage: process.cpuUsage(), status: require('node:fs').readFileSync('/proc/self/status', 'latin1') })))`;
  const hook = join(oxbowHome, 'report-costs.cjs');
  writeFileSync(hook, report);
  const started = now();
  execFileSync(process.execPath, ['--require', hook, join(import.meta.dirname, '../bin/oxbow'), 'usage', TURNS.id], {
    cwd: oxbowHome,
    env: { PATH: process.env.PATH, HOME: oxbowHome, OXBOW_HOME: oxbowHome },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const seconds = (now() - started) / 1000;
  const told = JSON.parse(readFileSync(costs, 'utf8'));
  return { seconds, cpu: (told.usage.user + told.usage.system) / 1e6, mb: memoryMb(told.status, 'VmHWM') };
}

/** Returns a turn of two requests and a call, as Oxbow writes it. */
function shortTurn(turn, put) {
  const turn_id = `0199aaab-0000-7000-8000-${String(turn).padStart(12, '0')}`;
  const call_id = `call_${turn}`;
  const started = (request) => put('oxbow', { kind: 'request.started', request, attempt: 0, digest: 'vwi5n7ss3s' });
  const ended = (request) => {
    const info = { total_token_usage: tokens(request), last_token_usage: tokens(1) };
    const bytes = { sent_bytes: 13_190, received_bytes: 2092 };
    const record = { ms: 44, model: 'bench', usage: tokens(1), cost: 0.0125, retries: 0, repairs: 0, ...bytes };
    return [
      put('event_msg', { type: 'token_count', info }),
      put('oxbow', { kind: 'request.ended', request, ...record }),
    ].join('');
  };
  const output = { type: 'function_call_output', id: `fco_${turn}`, call_id, output: OUTPUT };
  return [
    put('event_msg', { type: 'task_started', turn_id }),
    put('turn_context', context(turn_id)),
    put('response_item', user(`Question ${turn}, with some words more.`)),
    put('event_msg', { type: 'user_message', message: `Question ${turn}, with some words more.` }),
    started(2 * turn - 1),
    put('response_item', { id: `rs_${turn}`, type: 'reasoning', summary: [], encrypted_content: REASONING }),
    put('response_item', { id: `fc_${turn}`, type: 'function_call', call_id, name: 'exec_command', arguments: '{}' }),
    put('oxbow', { kind: 'call.started', call_id, read_only: true }),
    ended(2 * turn - 1),
    put('response_item', output, { success: true, duration_ms: 20 }),
    started(2 * turn),
    put('response_item', message(turn)),
    ended(2 * turn),
    put('event_msg', { type: 'task_complete', turn_id, last_agent_message: 'done' }),
  ].join('');
}

function tokens(requests) {
  return {
    input_tokens: 100 * requests,
    cached_input_tokens: 0,
    output_tokens: 20 * requests,
    reasoning_output_tokens: 0,
    total_tokens: 120 * requests,
  };
}

async function measureIdle() {
  const agent = await openAgent();
  const run = async () => {
    const thread = await agent.startThread();
    await thread.run('hello');
    return thread;
  };
  // The first threads load the code that all threads share.
  const threads = await Promise.all(Array.from({ length: 20 }, run));
  const before = await settledBytes();
  for (let batch = 0; batch < THREADS / 50; batch++)
    threads.push(...(await Promise.all(Array.from({ length: 50 }, run))));
  const after = await settledBytes();
  const heapKb = (after.used - before.used) / THREADS / 1024;
  const rssKb = (after.rss - before.rss) / THREADS / 1024;
  await Promise.all(threads.map((thread) => thread.close()));
  const text = `memory of an idle thread, over ${THREADS}: ${heapKb.toFixed(1)} kB alive, ${rssKb.toFixed(1)} kB resident (${verdict(rssKb, BUDGETS.idleKb)} ${BUDGETS.idleKb})`;
  return { measure: 'idle', heapKb, rssKb, text };
}

async function settledBytes() {
  for (let round = 0; round < 5; round++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    globalThis.gc();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { used: heapUsed + external, rss };
}

async function measureMany() {
  const agent = await openAgent();
  const started = performance.now();
  const peak = { descriptors: 0, lagMs: 0, clockLagMs: 0, treeMb: 0 };
  const polls = [
    setInterval(() => {
      peak.descriptors = Math.max(peak.descriptors, readdirSync('/proc/self/fd').length);
    }, 20),
    setInterval(() => {
      peak.treeMb = Math.max(peak.treeMb, treeMb());
    }, 2000),
    lagInterval(peak),
  ];
  const results = await Promise.all(
    Array.from({ length: THREADS }, async (_, index) => {
      const thread = await agent.startThread();
      const result = await thread.run(index < WITH_COMMANDS ? 'command' : 'note');
      return { thread, result };
    }),
  );
  polls.forEach(clearInterval);
  const seconds = (performance.now() - started) / 1000;
  const peakMb = statusMb(process.pid, 'VmHWM');
  const failed = results.filter(({ result }) => result.finalResponse !== 'done').length;
  await Promise.all(results.map(({ thread }) => thread.close()));
  if (failed > 0)
    throw new Error(
      `${failed} of ${THREADS} turns failed: ${results.find(({ result }) => result.error)?.result.error?.message}`,
    );
  const { descriptors, lagMs } = peak;
  const text = `${THREADS} threads at once, ${ROUNDS} rounds of ${CALLS} calls, ${WITH_COMMANDS} with commands:
  memory of the process ${peakMb.toFixed(0)} MB (${verdict(peakMb, BUDGETS.manyMb)} ${BUDGETS.manyMb}), with all commands ${peak.treeMb.toFixed(0)} MB
  descriptors ${descriptors} (${verdict(descriptors, BUDGETS.descriptors)} ${BUDGETS.descriptors})
  longest lag of the event loop ${lagMs.toFixed(0)} ms (${verdict(lagMs, BUDGETS.lagMs)} ${BUDGETS.lagMs}), ${peak.clockLagMs.toFixed(0)} ms by the clock
  time ${seconds.toFixed(1)} s`;
  return { measure: 'many', peakMb, ...peak, seconds, text };
}

/**
 * Measures the longest time between two rounds of the event loop: by the clock, which counts the other processes of the
 * machine too, and in processor time, which counts the other threads of this process.
 */
function lagInterval(peak) {
  let last = { clock: performance.now(), processor: processorMs() };
  return setInterval(() => {
    const at = { clock: performance.now(), processor: processorMs() };
    peak.lagMs = Math.max(peak.lagMs, Math.min(at.clock - last.clock, at.processor - last.processor));
    peak.clockLagMs = Math.max(peak.clockLagMs, at.clock - last.clock);
    last = at;
  }, 1);
}

function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function openAgent() {
  const { createAgent, defineTool } = await import('../dist/index.js');
  const note = defineTool({
    name: 'note',
    description: 'Notes a text.',
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    run: async ({ text }) => `noted ${text}`,
  });
  const oxbowHome = configure(join(home, role), port);
  return createAgent({
    cwd: oxbowHome,
    tools: [note],
    env: { PATH: process.env.PATH, HOME: oxbowHome, OXBOW_HOME: oxbowHome, BENCH_KEY: 'none' },
  });
}

function configure(oxbowHome, modelPort) {
  mkdirSync(oxbowHome, { recursive: true });
  writeFileSync(
    join(oxbowHome, 'config.toml'),
    `model = "bench"
model_provider = "bench"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.bench]
name = "bench"
base_url = "http://127.0.0.1:${modelPort}/v1"
wire_api = "responses"
env_key = "BENCH_KEY"
`,
  );
  return oxbowHome;
}

/**
 * Starts a model that answers a user with a call and an output with a message, in any thread. It reports when it was
 * asked "slowly".
 */
function serveModel() {
  let step = 0;
  const server = createServer((request, response) => {
    const arrived = now();
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const { input } = JSON.parse(Buffer.concat(parts).toString());
      const asked = input.findLastIndex(({ role }) => role === 'user');
      const text = input[asked].content.at(-1).text;
      const answered = input.slice(asked).filter(({ type }) => type === 'function_call_output').length;
      if (text === 'slowly') process.send(arrived);
      const answer = () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(stream(++step, itemsFor(text, answered)));
      };
      // Time to read the memory of a process that is about to end.
      if (text === 'slowly') setTimeout(answer, 100);
      else answer();
    });
  });
  process.on('disconnect', () => process.exit());
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}

/** Returns two calls for each of the first rounds of a thread that works, one call for "hello", and then a message. */
function itemsFor(text, answered) {
  const isWork = text === 'note' || text === 'command';
  const calls = isWork ? CALLS : 1;
  if (text === 'slowly' || answered >= (isWork ? ROUNDS : 1) * calls) return (step) => [message(step)];
  return (step) => Array.from({ length: calls }, (_, index) => call(`${step}_${index}`, text));
}

function call(step, text) {
  const ids = { id: `fc_${step}`, call_id: `call_${step}` };
  return text === 'command'
    ? { type: 'function_call', ...ids, name: 'exec_command', arguments: '{"cmd":"echo hello"}' }
    : { type: 'function_call', ...ids, name: 'note', arguments: '{"text":"hello"}' };
}

function message(step) {
  return {
    type: 'message',
    id: `msg_${step}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'done', annotations: [] }],
  };
}

function stream(step, itemsOf) {
  const id = `resp_${step}`;
  const items = itemsOf(step);
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  return [
    { type: 'response.created', response: { id, status: 'in_progress' } },
    ...items.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
    { type: 'response.completed', response: { id, status: 'completed', output: items, usage } },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

async function apart(name, modelPort, folder) {
  const child = fork(import.meta.filename, [name, modelPort, folder], { execArgv: ['--expose-gc'] });
  const [row] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [null])]);
  if (row === null) throw new Error(`The measurement "${name}" ended too early.`);
  return row;
}

async function tell(measurement) {
  const row = await measurement;
  process.send(row, () => process.exit());
}

/** Returns the memory of this process and all its descendants. Shared memory is counted once. */
function treeMb() {
  const pids = [process.pid, ...descendants(process.pid)];
  return pids.reduce((sum, pid) => sum + proportionalMb(pid), 0);
}

function descendants(root) {
  const parents = new Map();
  for (const line of execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')) {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    parents.set(pid, parent);
  }
  const isBelow = (pid) => pid === root || (parents.has(pid) && pid > 1 && isBelow(parents.get(pid)));
  return [...parents.keys()].filter((pid) => pid !== root && isBelow(pid));
}

function proportionalMb(pid) {
  try {
    const [, kb] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')) ?? [];
    return Number(kb ?? 0) / 1024;
  } catch {
    // The process has ended in the meantime.
    return 0;
  }
}

function statusMb(pid, field) {
  return memoryMb(readFileSync(`/proc/${pid}/status`, 'latin1'), field);
}

function memoryMb(status, field) {
  const [, kb] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(status) ?? [];
  return Number(kb ?? 0) / 1024;
}

function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

function verdict(value, budget) {
  return value <= budget ? 'within' : 'over';
}
