// Measures how fast patches are applied: our command against Codex's own, in turns, because only their ratio means
// anything, and the library alone. Run by bench/run.mjs; alone: node bench/patch.mjs (after a build). OXBOW_CODEX names
// Codex's binary.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROUNDS = 9;
const FILE_LINES = 100_000;
const CHUNKS = 1000;
const FILES = 1000;

const home = mkdtempSync(join(tmpdir(), 'oxbow-patch-bench-'));
const lines = Array.from({ length: FILE_LINES }, (_, at) => `  const value${at} = compute(${at}, "some text");`);
const whole = `${lines.join('\n')}\n`;
const small = Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`file${at}.txt`, smallFile(at)]));

/** A job that is nearly only the start of the program. The net time of another job is its time above this one's. */
const START = { measure: 'one new file', files: {}, patch: envelope(['*** Add File: new.txt', '+one']) };
const JOBS = [
  { measure: '1 chunk in 100,000 lines', files: { long: whole }, patch: longPatch([FILE_LINES - 50], same) },
  { measure: '1,000 chunks in 100,000 lines', files: { long: whole }, patch: longPatch(places(), same) },
  { measure: 'the same, blanks differ', files: { long: whole }, patch: longPatch(places(), padded) },
  { measure: '1,000 files changed', files: small, patch: envelope(Object.keys(small).flatMap(updated)) },
  { measure: '1,000 files added', files: {}, patch: envelope(Object.keys(small).flatMap(added)) },
];
/** The most net time of a job as a share of Codex's. Net, because Node's start alone takes longer than Codex's. */
const MOST = 1;

try {
  const programs = { oxbow: [process.execPath, join(import.meta.dirname, '../bin/oxbow'), 'apply-patch'], ...codex() };
  const measured = JOBS.map((job) => sideBySide(programs, job));
  const rows = [startRow(measured), ...measured.map(jobRow), ...(await inProcess())];
  for (const { measure, shown, verdict } of rows) process.stdout.write(`${measure.padEnd(42)}  ${shown}  ${verdict}\n`);
  process.send?.(rows);
} finally {
  rmSync(home, { recursive: true, force: true });
  process.disconnect?.();
}

function envelope(body) {
  return `*** Begin Patch\n${body.join('\n')}\n*** End Patch\n`;
}

function smallFile(at) {
  return `one\ntwo\nvalue = ${at}\nfour\nfive\n`;
}

function updated(path, at) {
  return [`*** Update File: ${path}`, '@@', ' two', `-value = ${at}`, `+value = ${at + 1}`, ' four'];
}

function added(path, at) {
  return [`*** Add File: ${path}`, '+one', `+value = ${at}`];
}

function places() {
  return Array.from({ length: CHUNKS }, (_, nth) => nth * (FILE_LINES / CHUNKS) + 50);
}

function same(line) {
  return line;
}

function padded(line) {
  return `${line}  `;
}

/** Returns chunks as models write them: some lines of context, one removed line and one added line. */
function longPatch(at, written) {
  const chunk = (place) => [
    '@@',
    ...lines.slice(place - 3, place).map((line) => ` ${written(line)}`),
    `-${written(lines[place])}`,
    `+  const changed${place} = true;`,
    ...lines.slice(place + 1, place + 4).map((line) => ` ${written(line)}`),
  ];
  return envelope(['*** Update File: long', ...at.flatMap(chunk)]);
}

/** Returns Codex as a patch command. Its binary is one when it is called by that name. */
function codex() {
  const binary = process.env.OXBOW_CODEX;
  if (binary === undefined || !existsSync(binary)) return {};
  const link = join(home, 'apply_patch');
  symlinkSync(binary, link);
  return { codex: [link] };
}

/** Returns the times of the whole command, each with the time of a start. The first round only warms the disk cache. */
function sideBySide(programs, job) {
  const names = Object.keys(programs);
  const times = Object.fromEntries(names.map((name) => [name, { start: [], whole: [] }]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const [start, whole] = [START, job].map((each) => timeOf(programs[name], each));
      if (round === 0) continue;
      times[name].start.push(start);
      times[name].whole.push(whole);
    }
  }
  return { measure: job.measure, times };
}

function timeOf([program, ...args], { measure, files, patch }) {
  const folder = join(home, 'tree');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  // A clean environment: proxies, and certificates that cost Node a tenth of a second, would distort the times.
  const env = { PATH: process.env.PATH, HOME: home };
  const began = performance.now();
  const { status, stderr } = spawnSync(program, args, { cwd: folder, env, input: patch, encoding: 'utf8' });
  const ms = performance.now() - began;
  if (status !== 0) throw new Error(`${measure}: ${program} failed: ${stderr.slice(0, 500)}`);
  if ('long' in files && readFileSync(join(folder, 'long'), 'utf8') === whole) throw new Error('Nothing was changed.');
  return ms;
}

function startRow(measured) {
  const [oxbow, other] = ['oxbow', 'codex'].map((name) => measured.flatMap(({ times }) => times[name]?.start ?? []));
  const shown = other.length === 0 ? ms(median(oxbow)) : compared(median(other), median(oxbow));
  return { measure: START.measure, oxbow: median(oxbow), shown, verdict: 'for information' };
}

function jobRow({ measure, times: { oxbow, codex: other } }) {
  const whole = median(oxbow.whole);
  const net = netOf(oxbow);
  if (other === undefined) {
    return { measure, whole, net, ratio: null, shown: `${ms(whole)}, net ${ms(net)}`, verdict: 'no Codex beside it' };
  }
  const ratio = net / netOf(other);
  const shown = `${compared(median(other.whole), whole)}; net ${compared(netOf(other), net)} (at most ${MOST})`;
  return { measure, whole, net, ratio, most: MOST, shown, verdict: ratio <= MOST ? 'within' : 'over' };
}

function netOf({ start, whole }) {
  return median(whole.map((time, round) => time - start[round]));
}

function ms(value) {
  return `${value.toFixed(1)} ms`;
}

function compared(codexMs, oxbowMs) {
  return `${ms(codexMs)} → ${ms(oxbowMs)}, ratio ${(oxbowMs / codexMs).toFixed(2)}`;
}

/**
 * Measures reading and changing alone, without files or a process: the first time, and after V8 has optimised the code.
 */
async function inProcess() {
  const outfile = join(home, 'patch.mjs');
  const contents = `export { parsePatch } from './src/patch/parse-patch.ts';
export { changeText } from './src/patch/change-text.ts';
export { gitDiff } from './src/patch/git-diff.ts';`;
  const root = join(import.meta.dirname, '..');
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
  });
  const { parsePatch, changeText, gitDiff } = await import(pathToFileURL(outfile));
  const changed = (patch, files) => {
    const results = {};
    for (const hunk of parsePatch(patch)) {
      results[hunk.path] = hunk.type === 'add' ? hunk.text : changeText(files[hunk.path], hunk.chunks, hunk.path);
    }
    return results;
  };
  const measured = JOBS.map((job) => inMemory(`in process: ${job.measure}`, () => changed(job.patch, job.files)));
  const after = changed(JOBS[1].patch, JOBS[1].files).long;
  const diff = () => gitDiff({ path: 'long', before: whole, after });
  return [...measured, inMemory('in process: the diff of 1,000 changes', diff)];
}

function inMemory(measure, work) {
  const times = Array.from({ length: ROUNDS }, () => {
    const began = performance.now();
    work();
    return performance.now() - began;
  });
  const [first, ms] = [times[0], median(times.slice(1))];
  return {
    measure,
    ms,
    first,
    shown: `${ms.toFixed(1)} ms, the first time ${first.toFixed(1)} ms`,
    verdict: 'for information',
  };
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
