import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { SandboxPolicy } from '../../../src/base/policy.ts';
import { testInTurn } from '../../harness/test-in-turn.ts';
import type { Job, Report } from './agent.ts';
import { createGround, type Ground, hasProgram, PATH, PEOPLE, type Person } from './run-agent.ts';

const canTest = process.platform === 'linux' && hasProgram('bwrap') && hasProgram('perl');
const SANDBOXES = ['bubblewrap', 'landlock'] as const;

let ground: Ground;
let made = 0;
beforeAll(() => {
  if (canTest) ground = createGround();
});
afterAll(() => ground?.dispose());

/** A workspace, and a folder next to it that commands may not write to. */
interface Stage {
  readonly outside: string;
  readonly workspace: string;
  /** Makes a folder of the person on the stage. */
  folder(...names: string[]): string;
  /** Runs scripts one after another in the same thread. */
  run(policy: Partial<SandboxPolicy>, ...scripts: string[]): Promise<Report & { readonly outputs: readonly string[] }>;
}

function stage(person: Person, sandbox: Job['sandbox']): Stage {
  const name = `s-${++made}`;
  const folder = (...names: string[]) => ground.folder(person, name, ...names);
  const workspace = folder('top', 'w');
  return {
    outside: folder('outside'),
    workspace,
    folder,
    async run(more, ...scripts) {
      const policy = { mode: 'workspace-write', writableRoots: [workspace], network: false, ...more } as const;
      const [argv = [], ...later] = scripts.map((script) => ['/bin/bash', '-c', script]);
      const report = await ground.run(person, { policy, sandbox, cwd: '/', argv, later, env: { PATH } });
      return { ...report, outputs: report.outputs ?? [] };
    },
  };
}

describe.skipIf(!canTest)('places that commands may touch', () => {
  describe.each(PEOPLE)('of $name', (person) => {
    describe.each(SANDBOXES)('under %s', (sandbox) => {
      const testOne = testInTurn(PEOPLE.indexOf(person) + SANDBOXES.indexOf(sandbox));

      testOne('a root that does not exist does not become what a command links there', async () => {
        const { workspace, outside, run } = stage(person, sandbox);
        const build = join(workspace, 'build');
        const scripts = [
          `ln -s ${outside} ${build}`,
          `touch ${outside}/x ${build}/y; touch ${workspace}/z && echo wrote`,
        ];
        const { outputs, notes } = await run({ writableRoots: [workspace, build] }, ...scripts);
        expect(readdirSync(outside)).toEqual([]);
        expect(outputs[1]).toContain('wrote');
        expect(notes.filter((note) => note.includes(`${build} does not exist`))).toHaveLength(1);
      });

      testOne('a root behind a link in another root does not count, whoever made the link', async () => {
        const { workspace, outside, run } = stage(person, sandbox);
        symlinkSync(outside, join(workspace, 'build'));
        const roots = [workspace, join(workspace, 'build')];
        const { notes } = await run({ writableRoots: roots }, `touch ${outside}/x`);
        expect(readdirSync(outside)).toEqual([]);
        expect(notes).toContainEqual(expect.stringContaining(`leads through the link ${join(workspace, 'build')}`));
      });

      testOne('a root that was swapped for a link stops the commands of the thread', async () => {
        const { workspace, outside, folder, run } = stage(person, sandbox);
        const top = folder('top');
        const swap = `cd ${top} && mv w gone && ln -s ${outside} w; true`;
        const write = `touch ${outside}/x; echo ran`;
        const { outputs } = await run({ writableRoots: [workspace, top] }, swap, write, write);
        expect(readdirSync(outside)).toEqual([]);
        if (sandbox === 'bubblewrap') return expect(outputs[0]).toContain('Device or resource busy');
        for (const output of outputs.slice(1)) {
          expect(output).toContain(`the writable folder ${workspace} was replaced by a link`);
          expect(output).toContain('start a new thread');
        }
      });

      testOne('a root that was deleted and made again is taken again', async () => {
        const { workspace, run } = stage(person, sandbox);
        const build = join(workspace, 'build');
        mkdirSync(build);
        ground.folder(person, build.slice(ground.path.length + 1));
        // While a sandbox holds the folder, nothing can be done to it, but between commands a program may.
        const scripts = [`rm -rf ${build}/* && echo first`, `touch ${build}/x && echo second`];
        const { text } = await run({ writableRoots: [workspace, build] }, ...scripts);
        expect(text).toContain('first\nsecond\n');
        const again = await run(
          { writableRoots: [workspace] },
          `rm -rf ${build} && mkdir ${build}`,
          `touch ${build}/y`,
        );
        expect(again.text).toBe('');
        expect(readdirSync(build)).toEqual(['y']);
      });

      testOne('a link that flips in the background leads no later command out', async () => {
        const { workspace, outside, folder, run } = stage(person, sandbox);
        const top = folder('top');
        const flip = `cd ${top}; ln -s ../outside link; (while [ ! -e stop ]; do perl -e 'rename("w","kept");rename("link","w");rename("w","link");rename("kept","w")'; done) > /dev/null 2>&1 &
          sleep 0.2; for n in 1 2 3; do touch ${outside}/x-$n 2>/dev/null; done; touch stop; wait`;
        const write = `touch ${outside}/x ${workspace}/x 2>/dev/null; true`;
        await run({ writableRoots: [workspace, top] }, flip, write, write, write);
        expect(readdirSync(outside)).toEqual([]);
      });

      testOne('the home is read-only below a root, and cannot be moved', async () => {
        const { workspace, folder, run } = stage(person, sandbox);
        const home = folder('top', 'w', 'deep', 'home');
        const rules = folder('top', 'w', 'deep', 'home', 'rules');
        const script = `echo x > ${rules}/default.rules; echo x > ${home}/config.toml; mv ${workspace}/deep ${workspace}/d; mkdir -p ${rules}
          mv ${home} ${workspace}/h; rm -rf ${home}; ls ${home}; touch ${workspace}/sub/free && echo wrote`;
        folder('top', 'w', 'sub');
        const { text } = await run({ home }, script, script);
        expect(text.match(/rules\nwrote/g)).toHaveLength(2);
        expect(readdirSync(home)).toEqual(['rules']);
        expect(readdirSync(rules)).toEqual([]);
      });

      testOne('a home that does not exist yet cannot be made by a command', async () => {
        const { workspace, run } = stage(person, sandbox);
        const home = join(workspace, 'home');
        await run(
          { home },
          `mkdir -p ${home}/rules; echo x > ${home}/rules/default.rules; echo x > ${home}/config.toml`,
        );
        expect(readdirSync(home)).toEqual([]);
      });

      testOne('a home behind a link that commands can change is refused', async () => {
        const { workspace, outside, run } = stage(person, sandbox);
        const home = join(workspace, 'home');
        symlinkSync(outside, home);
        const { text } = await run({ home }, 'echo ran', 'echo ran');
        expect(text).toContain(`leads through the link ${home}`);
        expect(text).not.toContain('ran\n');
      });

      testOne('a root inside the home stays writable, as a worktree is', async () => {
        const { folder, run } = stage(person, sandbox);
        const home = folder('home');
        const tree = folder('home', 'worktrees', 'w');
        const { text } = await run({ home, writableRoots: [tree] }, `touch ${tree}/x && echo wrote; touch ${home}/x`);
        expect(text).toMatch(/^wrote\n/);
        expect(readdirSync(home)).toEqual(['worktrees']);
      });

      testOne('a hidden file stays hidden, although its folders could be renamed', async () => {
        const { workspace, folder, run } = stage(person, sandbox);
        const secret = join(folder('top', 'w', 'a', 'b'), 'secret');
        writeFileSync(secret, 'tell-no-one', { mode: 0o666 });
        const look = `cd ${workspace}; cat a/b/secret c/b/secret a/x x y/b/secret 2>/dev/null; true`;
        const scripts = [
          `cd ${workspace}; mv a c; mv a/b a/x; mv a/b/secret x; ln a/b/secret a/x; cp -al a y; ${look}`,
          look,
          look,
        ];
        const { text } = await run({ denyRead: [secret] }, ...scripts);
        expect(text).not.toContain('tell-no-one');
        expect(readFileSync(secret, 'utf8')).toBe('tell-no-one');
      });

      testOne('nothing can be taken out of a hidden folder', async () => {
        const { workspace, folder, run } = stage(person, sandbox);
        const hidden = folder('top', 'w', 'hidden');
        writeFileSync(join(hidden, 'secret'), 'tell-no-one', { mode: 0o666 });
        folder('top', 'w', 'free');
        const take = `cd ${workspace}; mv hidden/secret free/x; ln hidden/secret free/y; mv hidden free/z; cat free/* free/z/* 2>/dev/null`;
        const { text } = await run({ denyRead: [hidden] }, take, take, 'true');
        expect(text).not.toContain('tell-no-one');
        expect(readFileSync(join(hidden, 'secret'), 'utf8')).toBe('tell-no-one');
      });

      testOne('keys of Oxbow and Codex are hidden, and nothing else next to them', async () => {
        const { folder, run } = stage(person, sandbox);
        const home = folder('user', '.codex');
        const keyFiles = ['auth.json', 'later/auth.json'].map((name) => join(home, name));
        writeFileSync(join(home, 'auth.json'), 'tell-no-one', { mode: 0o666 });
        writeFileSync(join(home, 'config.toml'), 'settings');
        const { text } = await run(
          { home, keyFiles },
          `cd ${home}; cat auth.json; cat config.toml; ls -d ../.codex; ls`,
        );
        expect(text).not.toContain('tell-no-one');
        expect(text).toContain('settings../.codex\nauth.json\nconfig.toml\n');
      });

      testOne('a hidden path that is gone stops the commands of the thread', async () => {
        const { workspace, folder, run } = stage(person, sandbox);
        const secret = join(workspace, 'secret');
        const free = folder('top', 'w', 'free');
        writeFileSync(secret, 'text');
        const wait = `cd ${free}; touch begun; while [ ! -e go ]; do sleep 0.02; done`;
        const running = run({ denyRead: [secret] }, wait, 'echo second', 'echo third');
        await vi.waitFor(() => expect(readdirSync(free)).toEqual(['begun']), 30_000);
        rmSync(secret);
        writeFileSync(join(free, 'go'), '');
        const { outputs } = await running;
        expect(outputs[1]).toContain(`${secret}, which must not be read, was moved or deleted`);
        expect(outputs[2]).toBe(outputs[1]);
      });

      testOne('a deny_read that hides nothing is named once', async () => {
        const { workspace, run } = stage(person, sandbox);
        const denyRead = [join(workspace, 'missing'), join(workspace, '**/.env')];
        const { notes } = await run({ denyRead }, 'true', 'true');
        const warnings = notes.filter((note) => note.startsWith('deny_read names'));
        expect(warnings).toEqual([
          expect.stringContaining(`${workspace}/missing, which does not exist`),
          expect.stringContaining('patterns with * are not supported'),
        ]);
      });
    });
  });
});

test.skipIf(!canTest)('the attacks reach their goal without a sandbox', async () => {
  const [person] = PEOPLE;
  if (person === undefined) return;
  const { workspace, outside, run } = stage(person, 'bubblewrap');
  await run({ mode: 'danger-full-access' }, `ln -s ${outside} ${workspace}/build`, `touch ${workspace}/build/x`);
  expect(existsSync(join(outside, 'x'))).toBe(true);
});
