import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { FileChange } from '../../base/environment.ts';
import { createFiles } from './create-files.ts';
import { makeTree, readTree, workspaceOf } from './test-tree.ts';

let attacker: ChildProcess | undefined;

afterEach(() => {
  attacker?.kill('SIGKILL');
});

const ROUNDS = 400;

/** Scripts that swap `sub` in the working folder for something else and back, over and over. */
const ATTACKS = {
  'a link to a folder outside': `move('sub', 'aside'); link('../outside', 'sub'); remove('sub'); move('aside', 'sub');`,
  'a link to a protected folder': `move('sub', 'aside'); link('.git', 'sub'); remove('sub'); move('aside', 'sub');`,
  'a folder with a link for the file': `move('sub', 'aside'); move('trap', 'sub'); move('sub', 'trap'); move('aside', 'sub');`,
  'a link for the file': `move('sub/file', 'kept'); link('../../outside/file', 'sub/file'); move('kept', 'sub/file');`,
};

/** Calls that fail because the patch was faster are repeated in the next round. */
const TOOLS = `
  const fs = require('node:fs');
  const quietly = (call) => (...args) => { try { call(...args); } catch {} };
  const move = quietly(fs.renameSync), link = quietly(fs.symlinkSync), remove = quietly(fs.unlinkSync);
  const begun = () => fs.writeFileSync('../begun', '');`;

function startAttack(script: string, cwd: string): ChildProcess {
  return spawn(process.execPath, ['-e', `${TOOLS} ${script}`], { cwd, stdio: 'ignore' });
}

test.each(Object.entries(ATTACKS))('a patch is not led out of its folder by %s', async (_, swap) => {
  const root = makeTree({ 'outside/file': 'precious', 'work/sub/file': '0', 'work/.git/file': 'precious' });
  const work = join(root, 'work');
  const trap = `fs.mkdirSync('trap'); link('../../outside/file', 'trap/file'); link('../../outside/new', 'trap/new');`;
  attacker = startAttack(`${trap} begun(); for (;;) { ${swap} }`, work);
  while (!existsSync(join(root, 'begun'))) await delay(5);

  const files = createFiles(workspaceOf(work), { env: {} });
  const outcomes = { done: 0, refused: 0 };
  let text = '0';
  const attempt = async (...changes: FileChange[]) => {
    try {
      await files.change(changes, { sandboxed: true });
      outcomes.done += 1;
      return true;
    } catch {
      outcomes.refused += 1;
      return false;
    }
  };
  for (let n = 1; n <= ROUNDS || outcomes.done === 0 || outcomes.refused === 0; n++) {
    const after = String(n);
    if (await attempt({ path: join(work, 'sub/file'), before: text, after })) text = after;
    const added = { path: join(work, 'sub/new'), before: null, after: 'x' };
    await attempt(added);
    await attempt({ ...added, before: 'x', after: null });
  }
  await stop(attacker);

  expect(readTree(join(root, 'outside'))).toEqual({ file: 'precious' });
  expect(readTree(join(work, '.git'))).toEqual({ file: 'precious' });
  expect(Object.keys(readTree(root)).filter((name) => name.includes('.oxbow-'))).toEqual([]);
});

test('a folder that is moved back and forth while it is held open keeps no temporary file', async () => {
  const root = makeTree({ 'work/sub/file': 'a', 'outside/x': '' });
  const files = createFiles(workspaceOf(join(root, 'work')), { env: {} });
  const script = `begun(); for (;;) { move('sub', '../outside/sub'); move('../outside/sub', 'sub'); }`;
  attacker = startAttack(script, join(root, 'work'));
  while (!existsSync(join(root, 'begun'))) await delay(5);
  for (let n = 0; n < ROUNDS; n++) {
    const change = { path: join(root, 'work/sub/new'), before: null, after: 'x' };
    await files.change([change], { sandboxed: true }).catch(() => undefined);
    await files.change([{ ...change, before: 'x', after: null }], { sandboxed: true }).catch(() => undefined);
  }
  await stop(attacker);
  expect(Object.keys(readTree(root)).filter((name) => name.includes('.oxbow-'))).toEqual([]);
});

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}
