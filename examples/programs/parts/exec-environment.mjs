// An environment on another machine, which is reached by a command such as `docker exec -i box`.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { ToolFailure } from 'oxbow';
import { createRun, execFiles } from './exec-files.mjs';

/** Characters of output that are kept: the beginning and the end of a long one. */
const MOST = 1_000_000;
/** @param {string} text */
const clip = (text) => (text.length <= MOST ? text : text.slice(0, MOST / 2) + text.slice(-MOST / 2));

/**
 * Returns an environment whose commands run behind a prefix. The machine needs a shell and the usual commands. It is
 * the sandbox: the policy of the agent is not used.
 *
 * @param {readonly string[]} prefix
 * @returns {import('oxbow').Environment}
 */
export function execEnvironment(prefix) {
  const [program = '', ...args] = prefix;
  const run = createRun(prefix);
  const files = execFiles(run);
  /** @type {Map<number, import('oxbow').Terminal>} */
  const terminals = new Map();
  let count = 0;
  let isClosed = false;

  /** @type {import('oxbow').Environment['open']} */
  async function open({ argv, cwd }, { onOutput, onExit }) {
    if (isClosed) throw new ToolFailure('execution', 'The environment is closed.');
    const began = performance.now();
    const id = ++count;
    // The first process leads a group, whose number is kept on the machine, so that all of it can be killed there.
    const group = `/tmp/group-${randomUUID()}`;
    const script = 'echo $$ > "$1" && cd "$2" && shift 2 && exec "$@"';
    const child = spawn(program, [...args, 'sh', '-c', script, 'sh', group, cwd, ...argv], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [all, fresh] = ['', ''];
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        if (all.length < MOST) onOutput(text);
        all = clip(all + text);
        fresh = clip(fresh + text);
      });
    /** @type {number | null} */
    let exitCode = null;
    /** @type {Promise<void>} */
    const ended = new Promise((resolve, reject) => {
      child.once('error', reject).once('close', (code) => {
        exitCode = code ?? 137;
        onExit({ exitCode, durationMs: performance.now() - began, output: all });
        resolve();
      });
    });
    ended.catch(() => {}).finally(() => run('rm -f "$1"', [group]).catch(() => {}));
    /** @type {import('oxbow').Terminal} */
    const terminal = {
      id,
      async collect(yieldMs, signal) {
        const from = performance.now();
        await new Promise((resolve, reject) => {
          const timer = setTimeout(resolve, yieldMs);
          signal.addEventListener('abort', resolve, { once: true });
          ended.then(resolve, reject).finally(() => clearTimeout(timer));
        });
        const text = fresh;
        fresh = '';
        if (exitCode !== null) terminals.delete(id);
        return { text, waitedMs: performance.now() - from, exitCode };
      },
      write: () => Promise.reject(new ToolFailure('execution', 'The input of this command is closed.')),
      resize() {},
      async kill() {
        if (exitCode === null) await run('kill -9 "-$(cat "$1")"', [group]);
        child.kill('SIGKILL');
        await ended;
      },
    };
    terminals.set(id, terminal);
    return terminal;
  }

  return {
    prepare() {},
    open,
    terminal: (id) => terminals.get(id),
    files: () => files,
    rest() {},
    async close() {
      isClosed = true;
      await Promise.all([...terminals.values()].map((terminal) => terminal.kill()));
    },
  };
}
