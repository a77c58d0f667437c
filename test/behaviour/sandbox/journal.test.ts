import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGround, type Ground, hasProgram, PATH, PEOPLE, type Person } from './run-agent.ts';

const canTest = process.platform === 'linux' && ['bwrap', 'perl', 'git'].every(hasProgram);
const SANDBOXES = ['bubblewrap', 'landlock'] as const;

let ground: Ground;
beforeAll(() => {
  if (canTest) ground = createGround();
});
afterAll(() => ground?.dispose());

const EVIL = `git config core.fsmonitor 'touch evil'; printf '#!/bin/sh\\n' > .git/hooks/pre-commit; mkdir .oxbow; echo ready; sleep 60`;

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'close');
}

function repositoryOf(person: Person, name: string): string {
  const folder = ground.folder(person, name, 'w');
  execFileSync('git', ['init', '-q', folder], { uid: person.id, gid: person.id, env: { PATH, HOME: folder } });
  return folder;
}

describe.skipIf(!canTest)('after the death of Oxbow during a command under Landlock', () => {
  describe.each(PEOPLE)('of $name', (person) => {
    test.each(SANDBOXES)(
      'the next run with the same home restores the repository, in %s elsewhere',
      async (sandbox) => {
        const name = `${person.id}-${sandbox}`;
        const workspace = repositoryOf(person, name);
        const [home, elsewhere] = [ground.folder(person, name, 'home'), ground.folder(person, name, 'elsewhere')];
        const policy = { mode: 'workspace-write', writableRoots: [workspace], network: false } as const;
        const config = join(workspace, '.git/config');
        const [original, hooks] = [readFileSync(config, 'utf8'), readdirSync(join(workspace, '.git/hooks'))];
        const job = { policy, home, env: { PATH, HOME: elsewhere } };
        const argv = ['/bin/bash', '-c', EVIL];
        const { child } = await ground.start(person, {
          ...job,
          sandbox: 'landlock',
          cwd: workspace,
          argv,
          ending: 'wait',
        });
        await killed(child);
        expect(readFileSync(config, 'utf8')).toContain('fsmonitor');

        const next = {
          ...job,
          policy: { ...policy, writableRoots: [elsewhere] },
          sandbox,
          cwd: elsewhere,
          argv: ['true'],
        };
        const { notes } = await ground.run(person, next);
        expect(readFileSync(config, 'utf8')).toBe(original);
        expect(readdirSync(join(workspace, '.git/hooks'))).toEqual(hooks);
        expect(existsSync(join(workspace, '.oxbow'))).toBe(false);
        expect(notes).toContainEqual(
          expect.stringContaining(`killed while a command ran. A command changed ${join(workspace, '.git')},`),
        );
        expect(notes).toContainEqual(expect.stringContaining(join(workspace, '.oxbow')));
        expect(readdirSync(join(home, 'guard'))).toEqual([]);
      },
    );
  });
});
