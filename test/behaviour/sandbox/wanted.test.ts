import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SandboxPolicy } from '../../../src/base/policy.ts';
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

function workspaceOf(person: Person): { workspace: string; policy: SandboxPolicy } {
  const workspace = ground.folder(person, `w-${++made}`);
  const temporary = ground.folder(person, `tmp-${made}`);
  return { workspace, policy: { mode: 'workspace-write', writableRoots: [workspace, temporary], network: false } };
}

async function run(
  person: Person,
  sandbox: Job['sandbox'],
  script: string,
  more: Partial<SandboxPolicy> = {},
): Promise<Report> {
  const { workspace, policy } = workspaceOf(person);
  const env = { PATH, HOME: workspace, TMPDIR: policy.writableRoots[1] ?? '' };
  const argv = ['/bin/bash', '-c', script];
  return ground.run(person, { policy: { ...policy, ...more }, sandbox, cwd: workspace, argv, env });
}

function git(person: Person, cwd: string, ...args: string[]): void {
  execFileSync('git', args, { cwd, uid: person.id, gid: person.id, env: { PATH, HOME: cwd } });
}

/** A program that talks over its own unix socket, as tsx and many others do. */
const UNIX_PIPE = `node -e "
const net = require('node:net');
const server = net.createServer((s) => s.end('served')).listen(process.env.TMPDIR + '/p', () =>
  net.connect(process.env.TMPDIR + '/p').on('data', (d) => { console.log(String(d)); server.close(); }));"`;

const LOCAL_SERVER = `node -e "
const http = require('node:http');
const server = http.createServer((_, r) => r.end('served')).listen(0, '127.0.0.1', () =>
  http.get({ port: server.address().port, host: '127.0.0.1' }, (r) => r.on('data', (d) => { console.log(String(d)); server.close(); })));"`;

const PYTHON_POOL = `cat > pool.py <<'END'
from multiprocessing import Pool, Lock
from multiprocessing.shared_memory import SharedMemory
def double(n): return n * 2
if __name__ == '__main__':
    Lock()
    SharedMemory(create=True, size=16).unlink()
    with Pool(2) as pool: print(sum(pool.map(double, range(10))))
END
python3 pool.py`;

const PYTHON_MANAGER = `cat > manager.py <<'END'
from multiprocessing import Manager
if __name__ == '__main__':
    with Manager() as manager: print(len(manager.list([1, 2, 3])))
END
python3 manager.py`;

const LEAKING = `printf '#include <stdlib.h>\\nint main(void) { volatile char *p = malloc(7); p = 0; return 0; }\\n' > leak.c
cc -g -fsanitize=address leak.c -o leak && ./leak`;

/** Programs that set limits and priorities of their own. */
const LIMITS = `set -e
ulimit -n 512; ulimit -c 0; ulimit -n; nice -n 3 nice; ionice -c 2 -n 5 true; taskset 1 true; chrt -o 0 true; prlimit --nofile=256 sh -c 'ulimit -n'
node -e 'os.setPriority(5); console.log(os.getPriority())'
python3 -c 'import os, resource; os.nice(2); os.sched_setaffinity(0, os.sched_getaffinity(0)); resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); print(os.nice(0))'
echo done`;

const ORDINARY = `set -e
mkdir -p a/b && echo text > a/b/file && mv a/b/file a/file && cp -a a c && chmod 755 c/file && ln c/file d
tar cf all.tar a c && tar xf all.tar && file=$(mktemp) && cat > "$file" <<END
heredoc
END
cat "$file" <(echo substituted) | tee copy > /dev/stderr
( exec 3<>/dev/null; echo ok >&3 )
echo 'process.send(1)' > child.js
node -e 'require("node:child_process").fork("./child.js").on("message", () => console.log("forked"))'
echo done`;

describe.skipIf(!canTest)('work', () => {
  describe.each(PEOPLE)('of $name', (person) => {
    describe.each(SANDBOXES)('under %s', (sandbox) => {
      test('on files and processes works as usual', async () => {
        const { text, exitCode } = await run(person, sandbox, ORDINARY);
        expect(text).toMatch(/heredoc\nsubstituted\nforked\ndone\n$/);
        expect(exitCode).toBe(0);
      });

      test.skipIf(!['python3', 'ionice', 'taskset', 'chrt'].every(hasProgram))(
        'with limits and priorities',
        async () => {
          expect(await run(person, sandbox, LIMITS)).toMatchObject({ text: '512\n3\n256\n5\n2\ndone\n', exitCode: 0 });
        },
      );

      test.skipIf(!hasProgram('git'))('with git: reading works, and nothing protected is written', async () => {
        const { workspace, policy } = workspaceOf(person);
        writeFileSync(join(workspace, 'file'), 'text');
        git(person, workspace, 'init', '-q');
        git(person, workspace, 'add', 'file');
        const argv = [
          '/bin/bash',
          '-c',
          'git status --short && git ls-files && git diff --cached --stat && git config x.y z',
        ];
        const report = await ground.run(person, { policy, sandbox, cwd: workspace, argv, env: { PATH, HOME: '/' } });
        expect(report.text).toContain('A  file\nfile\n');
        expect(readFileSync(join(workspace, '.git/config'), 'utf8')).not.toContain('[x]');
      });

      test.skipIf(!hasProgram('git'))(
        'below a repository still finds it, although .git cannot be created',
        async () => {
          const { workspace, policy } = workspaceOf(person);
          git(person, workspace, 'init', '-q');
          const inner = ground.folder(person, basename(workspace), 'package');
          const argv = ['/bin/bash', '-c', 'git rev-parse --show-toplevel; mkdir .git; echo x > .git/config'];
          const job = { policy: { ...policy, writableRoots: [inner] }, sandbox, cwd: inner, argv, env: { PATH } };
          const { text } = await ground.run(person, job);
          expect(text).toContain(`${workspace}\n`);
          expect(existsSync(join(inner, '.git'))).toBe(false);
        },
      );

      test.skipIf(!hasProgram('cc'))('with a compiler succeeds, and LeakSanitizer finds the leak', async () => {
        const { text } = await run(person, sandbox, LEAKING);
        expect(text).toContain('detected memory leaks');
      });

      test.skipIf(!hasProgram('python3'))('with python pools, locks and shared memory succeeds', async () => {
        expect(await run(person, sandbox, PYTHON_POOL)).toMatchObject({ text: '90\n', exitCode: 0 });
      });
    });

    test('with a local server succeeds under bubblewrap, and not under Landlock', async () => {
      expect((await run(person, 'bubblewrap', LOCAL_SERVER)).text).toBe('served\n');
      expect((await run(person, 'landlock', LOCAL_SERVER)).text).toContain('EPERM');
      expect((await run(person, 'landlock', LOCAL_SERVER, { network: true })).text).toBe('served\n');
    });

    test('with its own sockets succeeds when they are private', async () => {
      expect((await run(person, 'bubblewrap', UNIX_PIPE)).text).toContain('EPERM');
      expect((await run(person, 'bubblewrap', UNIX_PIPE, { unixSockets: 'private' })).text).toBe('served\n');
      const { text, notes } = await run(person, 'landlock', UNIX_PIPE, { unixSockets: 'private' });
      expect(text).toContain('EPERM');
      expect(notes).toContainEqual(expect.stringContaining('needs bubblewrap'));
    });

    test.skipIf(!hasProgram('python3'))('with a python manager succeeds when sockets are private', async () => {
      expect((await run(person, 'bubblewrap', PYTHON_MANAGER, { unixSockets: 'private' })).text).toBe('3\n');
    });
  });
});
