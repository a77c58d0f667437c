import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { call } from '../../../../src/testing/index.ts';
import { processesWith } from '../../../harness/processes.ts';
import { drive } from './drive.ts';

function hasProgram(name: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', `command -v ${name}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test.skipIf(!hasProgram('python3'))('python3 gets input, is interrupted and exits', async () => {
  const { marker } = await drive(async ({ exec, type, until }) => {
    const { session } = await exec({ cmd: 'python3 -q', tty: true, yield_time_ms: 250 });
    await until(session, 'x = 6 * 7\nprint("the answer", x)\n', 'the answer 42');
    await until(session, 'while True: pass\n\n', '...');
    const interrupted = await until(session, '\u0003', 'KeyboardInterrupt');
    expect(interrupted.session).toBe(session);
    await until(session, 'print("still", x)\n', 'still 42');
    const left = await type(session, 'exit(3)\n', 20_000);
    expect(left).toMatchObject({ session: null, exitCode: 3 });
    expect(await type(session, '')).toMatchObject({ whole: `write_stdin failed: Unknown process id ${session}` });
  });
  expect(processesWith(marker)).toEqual([]);
});

test('a password is typed and not echoed', async () => {
  const cmd = 'read -s -p "Password: " word; echo; test "$word" = "open sesame" && echo welcome';
  await drive(async ({ start, type }) => {
    const { session } = await start({ cmd, shell: '/bin/bash' }, 'Password: ');
    const { text, exitCode } = await type(session, 'open sesame\n', 20_000);
    expect({ text, exitCode }).toEqual({ text: '\r\nwelcome\r\n', exitCode: 0 });
  });
});

const vim = ['vim', 'vim.tiny'].find(hasProgram);

test.skipIf(vim === undefined)('a file is written with vim', async () => {
  const { workspace } = await drive(async ({ start, type, until }) => {
    const { session } = await start({ cmd: `${vim} -u NONE -i NONE note.txt` }, 'note.txt');
    await until(session, 'ifirst\nsecond', 'second');
    await type(session, '\u001b');
    expect(await type(session, ':wq\r', 20_000)).toMatchObject({ exitCode: 0 });
  });
  expect(workspace.read('note.txt')).toBe('first\nsecond\n');
});

test.skipIf(!hasProgram('top'))('top draws its screen and quits', async () => {
  await drive(async ({ start, type }) => {
    const { session } = await start({ cmd: 'top -d 1' }, 'load average');
    expect(await type(session, 'q', 20_000)).toMatchObject({ session: null, exitCode: 0 });
  });
});

test('without a terminal the only input is Ctrl-C', async () => {
  await drive(async ({ exec, type }) => {
    const { session } = await exec({ cmd: 'sleep 300', yield_time_ms: 250 });
    expect((await type(session, 'yes\n')).whole).toBe(
      'write_stdin failed: stdin is closed for this session; rerun exec_command with tty=true to keep stdin open',
    );
    expect(await type(session, '\u0003', 20_000)).toMatchObject({ exitCode: 130, session: null });
    expect((await type(4711, 'x')).whole).toBe('write_stdin failed: Unknown process id 4711');
  });
});

test('calls to one terminal run in order', async () => {
  await drive(async ({ exec, calls }) => {
    const { session } = await exec({ cmd: 'cat', tty: true, yield_time_ms: 250 });
    const began = Date.now();
    const outputs = await calls(
      call('write_stdin', { session_id: session, chars: 'one\n', yield_time_ms: 1000 }),
      call('write_stdin', { session_id: session, chars: 'two\n', yield_time_ms: 1000 }),
    );
    expect(outputs.map((output) => output.split('Output:\n')[1])).toEqual(['one\r\none\r\n', 'two\r\ntwo\r\n']);
    // Each waits for its time, and for a tenth of a second after typing.
    expect(Date.now() - began).toBeGreaterThanOrEqual(2200);
  });
});

test('unified_exec starts an argv in a terminal and types into it', async () => {
  await drive(async ({ calls }) => {
    const [first = ''] = await calls(
      call('unified_exec', { input: ['sh', '-c', 'read a; echo "<$a>"; exit 4'], timeout_ms: 300 }),
    );
    const session = Number(/session ID (\d+)/.exec(first)?.[1]);
    const [second = ''] = await calls(
      call('unified_exec', { input: ['some', 'thing\n'], session_id: String(session), timeout_ms: 20_000 }),
    );
    expect(second).toMatch(/Process exited with code 4\n[\s\S]*Output:\nsomething\r\n<something>\r\n$/);
    const [third = ''] = await calls(call('unified_exec', { input: ['x'], session_id: session }));
    expect(third).toBe(`unified_exec failed: Unknown process id ${session}`);
    const [fourth = ''] = await calls(call('unified_exec', { input: ['/nonexistent/program'] }));
    expect(fourth).toBe(
      'unified_exec failed: Failed to create unified exec process: No such file or directory (os error 2)',
    );
  });
});
