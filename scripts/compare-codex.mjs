// Runs the real Codex and Oxbow over the same scenarios and writes the differences into docs/codex.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compareRuns } from './compare-codex/compare-runs.mjs';
import { FLAG_SCENARIOS } from './compare-codex/flag-scenarios.mjs';
import { JSON_SCENARIOS } from './compare-codex/json-scenarios.mjs';
import { normalise } from './compare-codex/normalise.mjs';
import { runScenario } from './compare-codex/run-scenario.mjs';
import { unexplained, unusedReasons, writePage } from './compare-codex/write-tables.mjs';

const HELP = `Usage: OXBOW_CODEX=PATH node scripts/compare-codex.mjs [--check] [--only PATTERN]

Runs Codex and the built Oxbow over the same scenarios, against scripted models on the loopback address, and writes the
differences into docs/codex.md. Fails if a difference has no reason in scripts/compare-codex/reasons.mjs.

  --check         Compare with the page instead of writing it
  --only PATTERN  Run the scenarios whose names fit, and print their differences instead of writing the page`;

const PAGE = new URL('../docs/codex.md', import.meta.url);
const OXBOW = { command: fileURLToPath(new URL('../bin/oxbow', import.meta.url)), isCodex: false };

/** Scenarios that run at a time. Much of a scenario is waiting. */
const AT_A_TIME = 3;

const { values } = parseArgs({
  options: { check: { type: 'boolean' }, only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
if (values.help) console.log(HELP);
else process.exitCode = await main();

async function main() {
  const codex = process.env.OXBOW_CODEX;
  if (!codex) {
    console.error('Set OXBOW_CODEX to the path of the program of Codex.');
    return 2;
  }
  const only = values.only === undefined ? undefined : new RegExp(values.only);
  const scenarios = [...JSON_SCENARIOS, ...FLAG_SCENARIOS].filter(({ name }) => only === undefined || only.test(name));
  const version = versionOf(codex);
  const results = await compareAll(scenarios, { command: codex, isCodex: version.startsWith('codex') });
  const faults = unexplained(results);
  for (const { scenario, difference } of faults) console.error(`no reason: ${scenario.name}\n${describe(difference)}`);
  if (only !== undefined) {
    for (const { scenario, differences } of results)
      console.log([scenario.name, ...differences.map(describe)].join('\n'));
    return faults.length === 0 ? 0 : 1;
  }
  for (const why of unusedReasons(results)) console.error(`no difference has this reason any longer: ${why}`);
  return Math.max(faults.length === 0 ? 0 : 1, savePage(results, version));
}

function savePage(results, version) {
  const before = readFileSync(PAGE, 'utf8');
  const after = writePage(before, results, `Codex ${/[\d.]+$/.exec(version)?.[0]}`);
  if (!values.check) writeFileSync(PAGE, after);
  else if (after !== before) {
    console.error('docs/codex.md is not what the programs do. Run: node scripts/compare-codex.mjs');
    return 1;
  }
  return 0;
}

/** Runs the scenarios, a few at a time, and returns their results in order. */
async function compareAll(scenarios, codex) {
  const results = new Array(scenarios.length);
  const waiting = scenarios.keys();
  const work = async () => {
    for (const index of waiting) results[index] = await compareOne(scenarios[index], codex);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return results;
}

async function compareOne(scenario, codex) {
  const theirs = normalise(await runScenario(scenario, codex), scenario);
  const ours = normalise(await runScenario(scenario, OXBOW), scenario);
  return { scenario, code: ours.code, differences: compareRuns(theirs, ours) };
}

function describe({ place, codex = '(missing)', oxbow = '(missing)' }) {
  return `  ${place}\n    Codex: ${codex}\n    Oxbow: ${oxbow}`;
}

function versionOf(program) {
  return execFileSync(program, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}
