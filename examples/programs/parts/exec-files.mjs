// Files on another machine, read and written by commands.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ToolFailure } from 'oxbow';

/** @typedef {ReturnType<typeof createRun>} Run */

/** Returns a function that runs a script of the shell to its end. @param {readonly string[]} prefix */
export function createRun([program = '', ...args]) {
  /** @param {string} script @param {readonly string[]} words @param {string} [input] */
  return async (script, words, input = '') => {
    const child = spawn(program, [...args, 'sh', '-c', script, 'sh', ...words], { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.on('error', () => {}).end(input);
    /** @type {Promise<number | null>} */
    const ended = new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
    const [out, errors, code] = await Promise.all([buffer(child.stdout), buffer(child.stderr), ended]);
    return { out, errors: errors.toString().trim(), ok: code === 0 };
  };
}

/** @param {Run} run @returns {import('oxbow').Files} */
export function execFiles(run) {
  return {
    locate: async (path) => (await run('realpath -m -- "$1"', [path])).out.toString().replace(/\n$/, ''),
    async read(path) {
      const { ok, out, errors } = await run('cat -- "$1"', [path]);
      if (ok) return out;
      const isThere = (await run('[ -e "$1" ]', [path])).ok;
      throw Object.assign(new Error(errors), { code: isThere ? 'EACCES' : 'ENOENT' });
    },
    async isInGit(path) {
      const script = 'cd "$2" && git ls-files --error-unmatch -- "$1" && git diff --quiet HEAD -- "$1"';
      return (await run(script, [path, dirname(path)])).ok;
    },
    change: (changes) => change(run, changes),
  };
}

/** Changes the files, or takes back the first changes if a later one fails. @param {Run} run @param {readonly import('oxbow').FileChange[]} changes */
async function change(run, changes) {
  for (const { path, before } of changes) {
    const { out, ok } = await run('cat -- "$1"', [path]);
    if ((ok ? out.toString() : null) !== before) throw new ToolFailure('execution', `${path} has changed meanwhile.`);
  }
  /** @param {string} path @param {string | null} text */
  const put = async (path, text) => {
    const script = text === null ? 'rm -f -- "$1"' : 'mkdir -p -- "$2" && cat > "$1"';
    const { ok, errors } = await run(script, [path, dirname(path)], text ?? '');
    if (!ok) throw new ToolFailure('execution', `${path} cannot be written: ${errors}`);
  };
  for (const [at, { path, to, after }] of changes.entries())
    try {
      await put(to ?? path, after);
      if (to !== undefined && to !== path) await put(path, null);
    } catch (error) {
      for (const done of changes.slice(0, at + 1).reverse()) {
        if (done.to !== undefined) await put(done.to, null);
        await put(done.path, done.before);
      }
      throw error;
    }
}
