// Programs in terminals of their own, for bench/terminal.mjs: their bytes with the time, keys, processor time, memory.
import { readdirSync, readFileSync } from 'node:fs';
import { spawn } from '@lydell/node-pty';

/** Answers of a terminal to the questions that programs ask at their start. */
const ANSWERS = [
  ['\u001b[c', '\u001b[?62;22c'],
  ['\u001b[6n', '\u001b[1;1R'],
  ['\u001b[?u', '\u001b[?0u'],
  ['\u001b]10;?', '\u001b]10;rgb:ffff/ffff/ffff\u001b\\'],
  ['\u001b]11;?', '\u001b]11;rgb:0000/0000/0000\u001b\\'],
];

let marks = 0;

/** Starts a program. `env` gets a mark, by which all processes of the program are found. */
export function startProgram({ argv, env, cwd, columns = 80, rows = 24 }) {
  const mark = `oxbow-bench-${process.pid}-${++marks}`;
  const started = now();
  const child = spawn(process.execPath, argv, {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd,
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', LANG: 'C.UTF-8', BENCH_MARK: mark, ...env },
  });
  const state = { bytes: 0, frames: 0, recent: '', listeners: new Set(), exited: false };
  const ended = new Promise((resolve) => {
    child.onExit(() => {
      state.exited = true;
      resolve();
    });
  });
  child.onData((data) => {
    const at = now();
    state.bytes += Buffer.byteLength(data);
    state.frames += data.split('\u001b[?2026h').length - 1;
    state.recent = (state.recent + data).slice(-20_000);
    for (const listener of [...state.listeners]) listener(data, at);
    for (const [question, reply] of ANSWERS) if (data.includes(question)) child.write(reply);
  });
  return {
    started,
    pid: child.pid,
    type: (keys) => child.write(keys),
    pause: () => child.pause(),
    resume: () => child.resume(),
    resize: (width, height) => child.resize(width, height),
    counts: () => ({ bytes: state.bytes, frames: state.frames, at: now() }),
    onData(listener) {
      state.listeners.add(listener);
      return () => state.listeners.delete(listener);
    },
    shows: (wanted, ms) => shows(state, wanted, ms),
    key: (letter) => key(child, state, letter),
    processorMs: () => processesWith(mark).reduce((sum, pid) => sum + processorMs(pid), 0),
    processes: () => processesWith(mark),
    kill: () => process.kill(child.pid, 'SIGKILL'),
    async end() {
      if (!state.exited) child.kill('SIGKILL');
      await ended;
      // Background processes that the program left.
      for (const pid of processesWith(mark)) end(pid);
    },
  };
}

/** Resolves with the time at which the program wrote a text from now on. */
function shows(state, wanted, ms = 60_000) {
  return new Promise((resolve, reject) => {
    let tail = '';
    const stop = () => {
      clearTimeout(limit);
      state.listeners.delete(listener);
    };
    const listener = (data, at) => {
      tail += data;
      if (typeof wanted === 'string' ? tail.includes(wanted) : wanted.test(tail)) {
        stop();
        resolve(at);
      } else tail = tail.slice(-400);
    };
    const limit = setTimeout(() => {
      stop();
      reject(new Error(`No ${wanted} after ${ms} ms. The last bytes: ${JSON.stringify(state.recent.slice(-600))}`));
    }, ms);
    state.listeners.add(listener);
  });
}

const ESC = '\u001b';

/** Sequences of a terminal, whose last letter is not shown. */
const SEQUENCE = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${ESC}]*)`, 'g');

/** Types a letter and returns the milliseconds until the program wrote it. */
async function key(child, state, letter) {
  const isShown = { test: (text) => text.replace(SEQUENCE, '').includes(letter) };
  const shown = shows(state, isShown, 10_000);
  const typed = now();
  child.write(letter);
  return (await shown) - typed;
}

function processesWith(mark) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/environ`).includes(`BENCH_MARK=${mark}\0`))
    .map(Number);
}

/** Returns the processor time of a process and of those children that have ended. A tick is 10 ms. */
function processorMs(pid) {
  const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

export function memoryMb(pid, field) {
  const [, kb] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(kb ?? 0) / 1024;
}

function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process has ended, or is not ours.
    return '';
  }
}

function end(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

export function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}
