// Measures what an import of the library costs, as a ratio to the import of other agent libraries, in turns in one run.
// Run by bench/run.mjs where OXBOW_PEERS names a folder in which the others are installed:
// npm install @openai/codex-sdk ai @openai/agents @anthropic-ai/claude-agent-sdk zod
// Alone, after a build: OXBOW_PEERS=FOLDER node bench/import.mjs
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ROUNDS = 9;
const PEERS = ['@openai/codex-sdk', 'ai', '@openai/agents', '@anthropic-ai/claude-agent-sdk'];

const folder = process.env.OXBOW_PEERS ?? '';
const programs = {
  nothing: { cwd: import.meta.dirname, name: 'node:process' },
  oxbow: { cwd: import.meta.dirname, name: 'oxbow' },
  ...Object.fromEntries(PEERS.filter(isInstalled).map((name) => [name, { cwd: folder, name }])),
};

const runs = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, program] of Object.entries(programs)) runs[name].push(importOnce(program));
}
const base = costOf(runs.nothing, { cpuMs: 0, memoryMb: 0 });
const oxbow = costOf(runs.oxbow, base);
const rows = Object.keys(programs).flatMap((name) =>
  name === 'nothing' ? [] : [rowOf(name, costOf(runs[name], base))],
);
for (const { name, cpuMs, memoryMb, cpuRatio, memoryRatio } of rows) {
  const cpu = `${cpuMs.toFixed(0).padStart(5)} ms CPU (${cpuRatio.toFixed(2)})`;
  process.stdout.write(
    `import ${name.padEnd(32)}  ${cpu}  ${memoryMb.toFixed(1).padStart(5)} MB (${memoryRatio.toFixed(2)})\n`,
  );
}
process.send?.(rows);

function isInstalled(name) {
  const isThere = existsSync(join(folder, 'node_modules', name));
  if (!isThere) process.stdout.write(`import ${name}: not installed in OXBOW_PEERS\n`);
  return isThere;
}

/** Imports a module in a new process. CPU time, because other processes on the machine change the time on the clock. */
function importOnce({ cwd, name }) {
  const code = `await import(${JSON.stringify(name)});
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ cpuMs: (user + system) / 1000, memoryMb: process.memoryUsage.rss() / 2 ** 20 }));
  process.exit();`;
  const args = ['--input-type=module', '-e', code];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name} cannot be imported: ${stderr}`);
  return JSON.parse(stdout);
}

/** Returns the medians of the runs above those of an import of nothing. */
function costOf(measured, without) {
  const median = (key) => measured.map((run) => run[key]).sort((a, b) => a - b)[measured.length >> 1] - without[key];
  return { cpuMs: median('cpuMs'), memoryMb: median('memoryMb') };
}

/** Returns the cost of a library, and how many times this cost the import of oxbow has. */
function rowOf(name, cost) {
  return { name, ...cost, cpuRatio: oxbow.cpuMs / cost.cpuMs, memoryRatio: oxbow.memoryMb / cost.memoryMb };
}
