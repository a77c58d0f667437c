import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { SandboxPolicy } from '../../../src/base/policy.ts';
import type { Job } from './agent.ts';
import { createGround, type Ground, hasProgram, PATH, PEOPLE, PERL, type Person } from './run-agent.ts';

const canTest = process.platform === 'linux' && hasProgram('bwrap') && hasProgram('perl');
const SANDBOXES = ['bubblewrap', 'landlock'] as const;

let ground: Ground;
let made = 0;
beforeAll(() => {
  if (canTest) ground = createGround();
});
afterAll(() => ground?.dispose());

function stage(person: Person, sandbox: Job['sandbox']) {
  const name = `s-${++made}`;
  const workspace = ground.folder(person, name, 'w');
  return {
    workspace,
    outside: ground.folder(person, name, 'outside'),
    run: (more: Partial<SandboxPolicy>, script: string, job: Partial<Job> = {}) => {
      const policy = { mode: 'workspace-write', writableRoots: [workspace], network: false, ...more } as const;
      const argv = ['/bin/bash', '-c', script];
      return ground.run(person, { policy, sandbox, cwd: workspace, argv, env: { PATH }, ...job });
    },
  };
}

describe.skipIf(!canTest)('with both walls', () => {
  describe.each(PEOPLE)('for $name', (person) => {
    describe.each(SANDBOXES)('under %s', (sandbox) => {
      test.each(['read-only', 'workspace-write'] as const)(
        'a named pipe outside is not reached in %s',
        async (mode) => {
          const { outside, run } = stage(person, sandbox);
          const pipe = join(outside, 'pipe');
          execFileSync('/usr/bin/mkfifo', ['-m', '666', pipe]);
          const reader = spawn('/bin/cat', [pipe], { stdio: ['ignore', 'pipe', 'ignore'] });
          const closed = once(reader, 'close');
          let received = '';
          reader.stdout.on('data', (text) => {
            received += text;
          });
          const { text } = await run(
            { mode },
            `timeout 5 sh -c 'echo sent > ${pipe}'; timeout 5 sh -c 'echo sent 1<> ${pipe}'`,
          );
          // The reader ends with its first writer, so it may be gone.
          await once(spawn('timeout', ['5', 'sh', '-c', `printf end > ${pipe}`], { stdio: 'ignore' }), 'close');
          await closed;
          expect(received).toBe('end');
          expect(text.match(/Permission denied/g)).toHaveLength(2);
        },
      );

      test('a hidden file that an editor replaces stays hidden to a running command', async () => {
        const { workspace, outside, run } = stage(person, sandbox);
        const secret = join(outside, 'secret');
        writeFileSync(secret, 'old', { mode: 0o666 });
        writeFileSync(join(outside, 'other'), 'other', { mode: 0o666 });
        const script = `cat ${outside}/other; touch begun; while [ ! -e go ]; do sleep 0.02; done; cat ${secret}; ls ${outside}`;
        const running = run({ denyRead: [secret] }, script);
        await vi.waitFor(() => expect(readdirSync(workspace)).toContain('begun'), 10_000);
        writeFileSync(join(outside, 'new'), 'tell-no-one', { mode: 0o666 });
        renameSync(join(outside, 'new'), secret);
        writeFileSync(join(workspace, 'go'), '');
        const { text } = await running;
        expect(text).toContain('other');
        expect(text).toContain('secret\n');
        expect(text).not.toContain('tell-no-one');
      });

      test('streams can be opened by name, also where nothing can be written', async () => {
        const { run } = stage(person, sandbox);
        const script = 'echo a > /dev/stdout; echo b > /dev/stderr; echo c > /proc/self/fd/1';
        expect((await run({ mode: 'read-only' }, script)).text).toBe('a\nb\nc\n');
        const { text } = await run({}, 'tty; echo a > /dev/tty; echo b > /dev/stdout; stty size < /dev/tty', {
          tty: true,
        });
        expect(text).toMatch(/^\/dev\/\S+\r\na\r\nb\r\n\d+ \d+\r\n$/);
      });
    });

    test('a missing program, and one that cannot be run, end as in a shell under bubblewrap', async () => {
      const { workspace, run } = stage(person, 'bubblewrap');
      writeFileSync(join(workspace, 'text'), '');
      expect(await run({}, '', { argv: ['no-such-program'] })).toMatchObject({ exitCode: 127 });
      expect(await run({}, '', { argv: ['./text'] })).toMatchObject({ exitCode: 126 });
    });

    test('private devices, memory and process settings still work under bubblewrap', async () => {
      const { run } = stage(person, 'bubblewrap');
      const script = `echo x > /dev/null; echo m > /dev/shm/m && cat /dev/shm/m; ${person.id === 0 ? '' : 'echo name > /proc/self/comm;'} echo renamed
        mkfifo p && (echo piped > p &) && cat p; mkdir -p a b && echo f > a/f && mv a/f b/f && ln b/f a/g && cat a/g`;
      expect((await run({}, script)).text).toBe('m\nrenamed\npiped\nf\n');
    });

    test('a folder that takes the place of a root between examination and mount is not writable', async () => {
      const { workspace, outside, run } = stage(person, 'bubblewrap');
      const inner = join(workspace, 'inner');
      mkdirSync(inner, { recursive: true });
      ground.folder(person, inner.slice(ground.path.length + 1));
      // Flips a root outside any sandbox, as a command of another thread with a wider root could.
      const flip = `chdir shift; symlink("../outside", "link"); while (1) { rename("inner", "kept"); rename("link", "inner"); rename("inner", "link"); rename("kept", "inner") }`;
      const flipper = spawn(PERL, ['-e', flip, workspace], { stdio: 'ignore' });
      const write = ['/bin/bash', '-c', `echo x > ${outside}/x; echo x > ${workspace}/inner/x; true`];
      try {
        for (let n = 0; n < 6; n++) {
          await run({ writableRoots: [workspace, inner] }, 'true', { cwd: '/', later: [write, write, write] });
        }
      } finally {
        flipper.kill('SIGKILL');
        await once(flipper, 'close');
      }
      expect(existsSync(join(outside, 'x'))).toBe(false);
    });
  });
});
