import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { loadSqlite } from '../../../../src/node-internals/load-sqlite.ts';
import { reply, say } from '../../../../src/testing/index.ts';
import { libraryScene } from '../../../harness/library-scene.ts';
import { newerNodes } from '../../../harness/nodes.ts';
import { CODEX, runCodex } from '../../../harness/run-codex.ts';
import { PROGRAM, threads } from './scene.ts';

test('a damaged index of Codex is named after the move, where Node can open one at all', async () => {
  const s = await libraryScene([reply(say('done'))]);
  const thread = await s.agent.startThread();
  await thread.run('go');
  await thread.close();
  const index = join(s.workspace.home, 'state_5.sqlite');
  writeFileSync(index, 'not a database'.repeat(1000));
  const { code, stderr } = await threads(['archive', thread.id], s);
  expect((await s.agent.threads.find(thread.id)).archived).toBe(true);
  if (loadSqlite() === undefined) expect([code, stderr]).toEqual([0, '']);
  else expect(stderr).toContain(`the index of Codex, ${index}, cannot be changed`);
});

/** A Node that has `node:sqlite`: version 22.13 or later. */
const node = loadSqlite() === undefined ? newerNodes()[0] : process.execPath;

// Most machines do not have Codex, and it is not what is tested. Without it no test counts as skipped.
if (CODEX && node) testArchive(CODEX, node);

function testArchive(codex: string, newer: string): void {
  test('a thread of Codex goes into the archive and back in either program', async () => {
    const s = await libraryScene(() => reply(say('done')));
    const { home, path: cwd } = s.workspace;
    const env = { PATH: process.env.PATH, HOME: home, CODEX_HOME: home, OXBOW_HOME: home };
    const run = async (program: string, ...args: string[]) =>
      (await promisify(execFile)(program, args, { cwd, env })).stderr;
    const [started = ''] = (await runCodex(s, 'first')).split('\n');
    const { thread_id: id } = JSON.parse(started);
    expect(await run(newer, PROGRAM, 'threads', 'archive', id)).toBe('');
    await run(codex, 'unarchive', id);
    await run(codex, 'archive', id);
    expect(await run(newer, PROGRAM, 'threads', 'unarchive', id)).toBe('');
    await runCodex(s, 'resume', id, 'second');
    expect(JSON.stringify(s.model.requests.at(-1)?.body.input)).toContain('first');
    await run(codex, 'archive', id);
  });
}
