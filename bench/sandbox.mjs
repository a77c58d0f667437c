// Measures the cost of a sandbox at the start of a command: medians of interleaved runs, as ratios to /bin/true in the
// same run. Usage: node bench/sandbox.mjs. With OXBOW_CODEX=/path/to/codex it also measures `codex sandbox`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROUNDS = 60;
const CODEX_ROUNDS = 10;
const HYPERFINE_ROUNDS = 5;
const HYPERFINE_RUNS = 30;
/** The highest ratio for each sandbox: run alone, and started from Node. */
const BUDGETS = { bubblewrap: { alone: 9, node: 5 }, landlock: { alone: 5, node: 3 } };

const LANDLOCK_ONLY = { probes: { bubblewrap: async () => 'not measured' } };

// Not below /tmp, which Codex refuses as its home.
const home = mkdtempSync(join(homedir(), '.oxbow-bench-'));

try {
  const rows = [...(await fromNode()), ...(await alone())];
  print(rows);
  process.send?.(rows);
} finally {
  rmSync(home, { recursive: true, force: true });
  process.disconnect?.();
}

/** Loads the code that runs commands, and makes two writable roots, one of them a repository. */
async function load() {
  const outfile = join(home, 'exec.mjs');
  const contents = `export { createConfinement } from './src/exec/environment/confinement.ts';
export { createLocalEnvironment } from './src/exec/environment/local-environment.ts';
export { removeIdleStubs } from './src/exec/sandbox/name-stubs.ts';`;
  await build({
    stdin: { contents, resolveDir: join(import.meta.dirname, '..'), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    external: ['@lydell/node-pty'],
  });
  const roots = ['workspace', 'tmp'].map((name) => join(home, name));
  for (const path of [...roots, join(roots[0], '.git'), join(roots[0], '.oxbow')]) mkdirSync(path, { recursive: true });
  return { exec: await import(pathToFileURL(outfile)), roots, cwd: roots[0] };
}

/** Measures from the request to start a command until all its output has been read, as the agent does it. */
async function fromNode() {
  const { exec, roots, cwd } = await load();
  const environments = [];
  const openIn = (mode, more) => {
    const environment = exec.createLocalEnvironment({
      shell: '/bin/sh',
      baseEnv: { PATH: '/usr/bin:/bin', HOME: home },
      environmentPolicy: { inherit: 'all', ignoreDefaultExcludes: true, exclude: [], set: {}, includeOnly: [] },
      threadId: '',
      version: '',
      world: {
        now: () => performance.now(),
        monotonic: () => performance.now(),
        uuid: () => String(environments.length),
        random: Math.random,
      },
      ...more,
    });
    environments.push(environment);
    const policy = { mode, writableRoots: roots, network: false };
    const action = { kind: 'command', argv: ['/bin/true'], cwd, login: false, escalate: false, yieldMs: 0 };
    return () =>
      new Promise((resolve, reject) => {
        const onExit = ({ exitCode }) => resolve(exitCode);
        const options = { callId: '', policy, sandboxed: true, onOutput() {}, onExit };
        environment.open(action, options).catch(reject);
      });
  };
  const { program, args, options } = codex() ?? {};
  const starts = {
    bare: () => exitOf(spawn('/bin/true', [], { stdio: ['ignore', 'pipe', 'pipe'], detached: true, cwd })),
    'full access': openIn('danger-full-access'),
    bubblewrap: openIn('workspace-write', { perl: '/nonexistent' }),
    'both walls': openIn('workspace-write'),
    landlock: openIn('workspace-write', LANDLOCK_ONLY),
    ...(program === undefined ? {} : { codex: () => exitOf(spawn(program, args, { ...options, cwd })) }),
  };
  const times = await interleaved(starts);
  for (const environment of environments) await environment.close();
  return ratios('from Node', times, times.bare, (name) => BUDGETS[name]?.node);
}

async function exitOf(child) {
  const [code] = await once(child, 'close');
  return code;
}

async function interleaved(starts) {
  const times = Object.fromEntries(Object.keys(starts).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of Object.keys(times)) {
      if (name === 'codex' && round > CODEX_ROUNDS) continue;
      const began = performance.now();
      const code = await starts[name]().catch((error) => error.message);
      // The first round only warms up.
      if (code === 0 && round > 0) times[name].push(performance.now() - began);
      if (code === 0) continue;
      process.stderr.write(`Not measured: ${name}: ${code}\n`);
      delete times[name];
    }
  }
  return times;
}

/**
 * Measures with hyperfine, which starts programs without a shell. Each launcher reads from files what it would read
 * from us.
 */
async function alone() {
  if (findProgram('hyperfine') === undefined) return [];
  const { exec, roots, cwd } = await load();
  const commands = { bare: () => hyperfine(['/bin/true']) };
  const launches = [];
  for (const [name, more] of Object.entries({
    bubblewrap: { perl: '/nonexistent' },
    'both walls': {},
    landlock: LANDLOCK_ONLY,
  })) {
    const confinement = exec.createConfinement({
      policy: { mode: 'workspace-write', writableRoots: roots, network: false },
      path: '',
      untrustedFolders: [],
      signal: new AbortController().signal,
      onNote() {},
      ...more,
    });
    const launch = await confinement.launch(['/bin/true'], cwd).catch(() => undefined);
    if (launch === undefined) continue;
    launches.push(launch);
    commands[name] = () =>
      hyperfine(launch.argv, (pid) => launch.descriptors.map((content) => contentFor(pid, content)));
  }
  const { program, args, options } = codex() ?? {};
  if (program !== undefined) commands.codex = () => hyperfine([program, ...args], () => [], options.env);
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round < HYPERFINE_ROUNDS; round++) {
    for (const [name, measure] of Object.entries(commands)) times[name].push(await measure());
  }
  for (const launch of launches) launch.end();
  exec.removeIdleStubs();
  return ratios('hyperfine -N', times, times.bare, (name) => BUDGETS[name]?.alone);
}

/** Returns the input of a launcher for one parent: a launcher runs nothing for any other process. */
function contentFor(pid, content) {
  if (typeof content !== 'function') return content;
  const fields = Buffer.from(content({ PATH: '/usr/bin:/bin', HOME: home }))
    .toString('latin1')
    .split('\0');
  if (fields[1] === String(process.pid)) fields[1] = String(pid);
  return Buffer.from(fields.join('\0'), 'latin1');
}

async function hyperfine(argv, contentsFor = () => [], env = { PATH: process.env.PATH }) {
  const result = join(home, 'hyperfine.json');
  const count = contentsFor(0).length;
  const files = Array.from({ length: count }, (_, index) => join(home, `descriptor-${index + 3}`));
  for (const file of files) writeFileSync(file, '');
  const descriptors = files.map((file) => openSync(file, 'r'));
  const rewind = `perl -e ${quote(`for (3..${count + 2}) { open(F, "<&=$_"); sysseek(F, 0, 0) }`)}`;
  const args = [
    ...['-N', '--warmup', '5', '--runs', String(argv[0].includes('codex') ? 5 : HYPERFINE_RUNS)],
    ...['--export-json', result, '--style', 'none'],
    ...(count > 0 ? ['--prepare', rewind] : []),
    argv.map(quote).join(' '),
  ];
  // The shell waits until the files exist, then becomes hyperfine.
  const child = spawn('/bin/sh', ['-c', 'read go; exec hyperfine "$@"', 'sh', ...args], {
    env,
    stdio: ['pipe', 'ignore', 'ignore', ...descriptors],
  });
  for (const [index, content] of contentsFor(child.pid).entries()) writeFileSync(files[index], content);
  child.stdin.end('go\n');
  const [code] = await once(child, 'exit');
  for (const descriptor of descriptors) closeSync(descriptor);
  if (code !== 0) throw new Error(`hyperfine ended with ${code}`);
  return JSON.parse(readFileSync(result, 'utf8')).results[0].median * 1000;
}

function quote(word) {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function findProgram(name) {
  return (process.env.PATH ?? '')
    .split(':')
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function codex() {
  const program = process.env.OXBOW_CODEX;
  if (program === undefined) return undefined;
  const codexHome = join(home, 'codex');
  mkdirSync(codexHome, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home, CODEX_HOME: codexHome };
  return { program, args: ['sandbox', '--', '/bin/true'], options: { env, stdio: 'ignore' } };
}

/**
 * Returns the medians of the ratios of each round: rounds follow each other closely, so they say more than ratios of
 * medians.
 */
function ratios(how, times, bare, budgetOf) {
  return Object.entries(times).map(([name, values]) => ({
    how,
    name,
    ms: median(values),
    ratio: median(values.map((value, round) => value / bare[round])),
    budget: budgetOf(name) ?? null,
    rounds: values.length,
  }));
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function print(rows) {
  for (const { how, name, ms, ratio, budget } of rows) {
    const verdict = budget === null ? '' : ratio <= budget ? `within ${budget}` : `over ${budget}`;
    const line = [
      `sandbox, ${how}`.padEnd(24),
      name.padEnd(12),
      `${ms.toFixed(1)} ms`.padStart(10),
      ratio.toFixed(1).padStart(7),
    ];
    process.stdout.write(`${[...line, `  ${verdict}`].join('').trimEnd()}\n`);
  }
}
