// Measures oxbow against the floor, in turns in one run, because only their ratio means anything on a shared machine.
// Usage: npm run bench [-- --json FILE] [--against FOLDER]. Exits with 0 whatever the ratios are; 1 when something could
// not be measured. With --against, the build in another clone replaces the floor, for the loop and the gateway only.
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const COLD_RUNS = 21;
const SHORT_RUNS = 15;
const SHORT_TURNS = 16;
const LONG_RUNS = 9;
const LONG_TURNS = 500;
const LONGEST_RUNS = 3;
const LONGEST_TURNS = 2000;
/** No further round begins after this time; the medians are then taken over fewer. */
const LAST_ROUND_MS = 150_000;
/** Everything that still runs is ended after this time. */
const END_MS = 400_000;
const MEMORY_POLL_MS = 50;

const { values: options } = parseArgs({ options: { json: { type: 'string' }, against: { type: 'string' } } });
const here = import.meta.dirname;
const began = performance.now();
const home = mkdtempSync(join(tmpdir(), 'oxbow-bench-'));
const workspace = join(home, 'workspace');
mkdirSync(workspace);
spawnSync('git', ['init', '-q', workspace], { stdio: 'ignore' });
const model = fork(join(here, 'model.mjs'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
let runs = 0;

try {
  const [port] = await once(model, 'message');
  const agentsIn = (sandbox) => ({
    floor: options.against === undefined ? floorAt(port) : oxbowAt(port, sandbox, options.against),
    oxbow: oxbowAt(port, sandbox),
  });
  const agents = agentsIn('danger-full-access');
  const cold = await sideBySide(agents, { times: COLD_RUNS, turns: 0 });
  const short = await sideBySide(agents, { times: SHORT_RUNS, turns: SHORT_TURNS });
  const sandboxed = await informative(() =>
    sideBySide(agentsIn('workspace-write'), { times: SHORT_RUNS, turns: SHORT_TURNS }),
  );
  const long = await sideBySide(agents, { times: LONG_RUNS, turns: LONG_TURNS });
  const longest = await sideBySide(agents, { times: LONGEST_RUNS, turns: LONGEST_TURNS });
  const measured = report([
    { measure: 'cold start to first request', unit: 'ms', budget: 1.5, ...compare(cold, (run) => run.coldMs) },
    { measure: 'turn 10, the loop’s own time', unit: 'ms', budget: 1.2, ...compare(short, turn10Ms) },
    { measure: 'turn 500, the loop’s own time', unit: 'ms', budget: 1.2, ...compare(long, turn500Ms) },
    { measure: 'turn 2000, the loop’s own time', unit: 'ms', budget: 1.2, ...compare(longest, turn2000Ms) },
    { measure: 'peak memory over 500 turns', unit: 'MB', budget: 1.8, ...compare(long, (run) => run.peakMb) },
    { measure: 'peak memory over 2000 turns', unit: 'MB', budget: null, ...compare(longest, (run) => run.peakMb) },
    { measure: 'turn 10 in the workspace-write sandbox', unit: 'ms', budget: 2, ...compare(sandboxed, turn10Ms) },
  ]);
  if (options.against !== undefined) {
    const gateway = await measureApart('gateway.mjs', ['--against', options.against]);
    writeJson({ rows: measured, gateway });
  } else await measureOthers(measured);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  model.disconnect();
  rmSync(home, { recursive: true, force: true });
}

async function measureOthers(rows) {
  const repair = await measureApart('repair.mjs');
  const gateway = await measureApart('gateway.mjs');
  const sandbox = await measureApart('sandbox.mjs');
  const terminals = await measureApart('terminals.mjs');
  const terminal = await measureApart('terminal.mjs');
  const patch = await measureApart('patch.mjs');
  const threads = await measureApart('threads.mjs');
  const mcp = await measureApart('mcp.mjs');
  // Other libraries and gateways have to be installed for these two.
  const imports = process.env.OXBOW_PEERS ? await measureApart('import.mjs') : undefined;
  const rivals = process.env.OXBOW_RIVALS ? await measureApart('rivals.mjs') : undefined;
  writeJson({ rows, repair, gateway, sandbox, terminals, terminal, patch, threads, mcp, imports, rivals });
}

function floorAt(port) {
  return (run, turns) => ({
    argv: [join(here, 'floor.mjs')],
    env: { BENCH_URL: `http://127.0.0.1:${port}/${run}/${turns}/v1` },
  });
}

function oxbowAt(port, sandbox, folder = join(here, '..')) {
  return (run, turns) => {
    const oxbowHome = join(home, 'oxbow');
    mkdirSync(oxbowHome, { recursive: true });
    const config = `model = "bench"
model_provider = "bench"
approval_policy = "never"
sandbox_mode = "${sandbox}"
[model_providers.bench]
name = "bench"
base_url = "http://127.0.0.1:${port}/${run}/${turns}/v1"
wire_api = "responses"
env_key = "BENCH_KEY"
`;
    writeFileSync(join(oxbowHome, 'config.toml'), config);
    return {
      argv: [resolve(folder, 'bin/oxbow'), 'exec', '--json', '--skip-git-repo-check', 'hello'],
      env: { OXBOW_HOME: oxbowHome, BENCH_KEY: 'none' },
    };
  };
}

/** Runs the agents in turns and returns the measurements of each run. The first round only warms the disk cache. */
async function sideBySide(agents, { times, turns }) {
  const names = Object.keys(agents);
  const measured = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round <= times; round++) {
    if (round > 1 && turns < LONGEST_TURNS && performance.now() - began > LAST_ROUND_MS) break;
    // The order changes, so that neither agent always follows the other.
    const order = round % 2 === 0 ? names : names.toReversed();
    for (const name of order) {
      if (round === 0 && turns >= LONG_TURNS) continue;
      const run = await measure(name, agents[name], turns);
      if (round > 0) measured[name].push(run);
    }
  }
  return measured;
}

async function measure(name, prepare, turns) {
  const id = String(++runs);
  const { argv, env } = prepare(id, turns);
  const spawned = Number(process.hrtime.bigint()) / 1e6;
  // A clean environment: proxies, and certificates that cost Node a tenth of a second, would distort the times.
  const child = spawn(process.execPath, argv, {
    cwd: workspace,
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (part) => {
    complaint = (complaint + part).slice(-2000);
  });
  let peakMb = 0;
  const poll = setInterval(() => {
    peakMb = peakMemory(child.pid) ?? peakMb;
  }, MEMORY_POLL_MS);
  const limit = setTimeout(() => child.kill('SIGKILL'), began + END_MS - performance.now());
  const [code] = await once(child, 'close');
  clearInterval(poll);
  clearTimeout(limit);
  model.send(id);
  const [{ requests, succeeded }] = await once(model, 'message');
  if (code !== 0 || requests.length !== turns + 1 || succeeded !== turns) {
    const seen = `${requests.length} requests of ${turns + 1}, ${succeeded} commands of ${turns} that ended well`;
    throw new Error(`${name} did not do what it was asked: exit code ${code}, ${seen}.\n${complaint}`);
  }
  return { coldMs: requests[0].arrived - spawned, requests, peakMb };
}

function peakMemory(pid) {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return undefined;
  try {
    const [, kb] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(path, 'latin1')) ?? [];
    return kb === undefined ? undefined : Number(kb) / 1024;
  } catch {
    // The process ended between the two reads.
    return undefined;
  }
}

/** Returns no runs where a measurement fails: a machine without the sandbox can still do the others. */
async function informative(measurement) {
  try {
    return await measurement();
  } catch (error) {
    process.stderr.write(`Not measured: ${error.message}\n`);
    return { floor: [], oxbow: [] };
  }
}

function turn10Ms(run) {
  return turnMs(run, 5, 15);
}

function turn500Ms(run) {
  return turnMs(run, 490, 500);
}

function turn2000Ms(run) {
  return turnMs(run, 1980, 2000);
}

/**
 * Returns the median over turns `from` to `to`, counted from 1, of the time from the end of an answer to the next
 * request.
 */
function turnMs({ requests }, from, to) {
  const turns = requests.slice(from - 1, to);
  return median(turns.map(({ ended }, index) => requests[from + index].arrived - ended));
}

/**
 * Compares two agents. The ratio is the median over rounds, not the ratio of medians: the load of the machine changes
 * between rounds.
 */
function compare(measured, value) {
  if (measured.oxbow.length === 0) return { floor: null, oxbow: null, ratio: null, rounds: 0 };
  const floor = measured.floor.map(value);
  const oxbow = measured.oxbow.map(value);
  const ratio = median(oxbow.map((own, round) => own / floor[round]));
  return { floor: median(floor), oxbow: median(oxbow), ratio, rounds: floor.length };
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function report(measured) {
  const rows = measured.map((row) => ({ ...row, verdict: verdictOn(row) }));
  const cells = rows.map(({ measure, unit, floor, oxbow, ratio, budget, verdict, rounds }) => [
    measure,
    ...[floor, oxbow].map((value) => (value === null ? '–' : `${value.toFixed(1)} ${unit}`)),
    ratio === null ? '–' : ratio.toFixed(2),
    budget === null ? '–' : budget.toFixed(1),
    `${verdict}, ${rounds} rounds`,
  ]);
  const lines = [['', options.against === undefined ? 'floor' : 'against', 'oxbow', 'ratio', 'budget', ''], ...cells];
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  for (const line of lines) {
    const padded = line.map((cell, column) =>
      column === 0 || column === 5 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
    );
    process.stdout.write(`${padded.join('  ').trimEnd()}\n`);
  }
  return rows;
}

/** Measures in a process of its own, with no other memory. That process prints its own lines. */
async function measureApart(file, args = []) {
  process.stdout.write('\n');
  const child = fork(join(here, file), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  const [rows] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [null])]);
  if (rows === null) throw new Error(`The measurement in bench/${file} ended too early.`);
  return rows;
}

function writeJson(measured) {
  if (options.json === undefined) return;
  const seconds = Math.round((performance.now() - began) / 1000);
  writeFileSync(options.json, `${JSON.stringify({ node: process.version, seconds, ...measured }, null, 2)}\n`);
}

function verdictOn({ ratio, budget }) {
  if (ratio === null) return 'not measured';
  if (budget === null) return 'for information';
  return ratio <= budget ? 'within' : 'over';
}
