import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Exec, environmentFromExec } from '../../../src/adapters/index.ts';
import { call, customCall, reply, type Script, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { describeOverSsh } from '../../harness/sshd.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const local: Exec = ([program = '', ...args]) => spawn(program, args);

/** Number of seconds that names the `sleep` of one test. */
let seconds = 100_000 + (process.pid % 10_000) * 10;

function farFolder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-far-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function farScene(exec: Exec, script: Script) {
  const far = farFolder();
  const environment = environmentFromExec({ exec, cwd: far });
  const s = await libraryScene(script, { sandbox_mode: 'danger-full-access' }, { environment });
  return { ...s, far };
}

/** Returns the commands that run on this machine with an argument. */
function running(argument: string): string[] {
  return readdirSync('/proc').flatMap((entry) => {
    try {
      const words = readFileSync(`/proc/${entry}/cmdline`, 'utf8').split('\0');
      return words.includes(argument) ? [words.join(' ')] : [];
    } catch {
      return [];
    }
  });
}

async function until(condition: () => boolean): Promise<void> {
  for (let attempt = 0; !condition(); attempt++) {
    if (attempt === 1000) throw new Error('it did not happen within twenty seconds');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function testAgentOn(exec: Exec): void {
  test('commands, typed input, patches and images are on the far side, and nothing here', async () => {
    const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Add File: sub/b.txt\n+b\n*** End Patch';
    const s = await farScene(exec, (request, n) => {
      const text = JSON.stringify(request.body);
      const session = /session ID (\d+)/.exec(text)?.[1];
      const replies = [
        call('exec_command', { cmd: 'pwd; echo one > a.txt' }),
        call('exec_command', { cmd: 'read line; echo "<$line>"; cat', tty: true, yield_time_ms: 250 }),
        call('write_stdin', { session_id: Number(session), chars: 'hello\nmore\n\u0004', yield_time_ms: 5000 }),
        customCall('apply_patch', patch),
        call('view_image', { path: 'pixel.png' }),
      ];
      const next = replies[n - 1];
      return reply(next ?? say('done'));
    });
    writeFileSync(join(s.far, 'pixel.png'), Buffer.from(PIXEL, 'base64'));
    const before = readdirSync(s.workspace.path);
    const thread = await s.agent.startThread(s.threadOptions());
    const result = await thread.run('go');
    await thread.close();
    expect(result).toMatchObject({ status: 'completed', finalResponse: 'done' });
    expect(readFileSync(join(s.far, 'a.txt'), 'utf8')).toBe('two\n');
    expect(readFileSync(join(s.far, 'sub/b.txt'), 'utf8')).toBe('b\n');
    const sent = JSON.stringify(s.model.requests.at(-1)?.body.input);
    expect(sent).toContain(`${s.far}\\n`);
    expect(sent).toContain('<hello>\\nmore\\n');
    expect(sent).toContain('data:image/png;base64,');
    expect(readdirSync(s.workspace.path)).toEqual(before);
  }, 60_000);

  test('an interrupted turn leaves nothing running there', async () => {
    const argument = String(++seconds);
    const cmd = `sleep ${argument} & (setsid sleep ${argument} &) ; sleep ${argument}`;
    const s = await farScene(exec, [reply(call('exec_command', { cmd }))]);
    const thread = await s.agent.startThread(s.threadOptions());
    const turn = thread.run('go');
    await until(() => running(argument).filter((command) => command.startsWith('sleep')).length === 3);
    await thread.abort();
    expect(await turn).toMatchObject({ status: 'aborted' });
    expect(running(argument)).toEqual([]);
    await thread.close();
  }, 60_000);

  test('a process that a command left behind lives until the thread is closed', async () => {
    const argument = String(++seconds);
    const s = await farScene(exec, [
      reply(call('exec_command', { cmd: `sleep ${argument} & echo started` })),
      reply(say('done')),
    ]);
    const thread = await s.agent.startThread(s.threadOptions());
    expect(await thread.run('go')).toMatchObject({ status: 'completed' });
    expect(s.outputs(1).get('call_1')).toContain('started');
    expect(running(argument)).toHaveLength(1);
    await thread.close();
    expect(running(argument)).toEqual([]);
  }, 60_000);
}

describe('a shell on this machine', () => testAgentOn(local));

describeOverSsh(testAgentOn);

test('Ctrl-C interrupts a command', async () => {
  const s = await farScene(local, (request, n) => {
    const session = /session ID (\d+)/.exec(JSON.stringify(request.body))?.[1];
    const cmd = 'trap "echo caught; exit 7" INT; echo ready; while :; do sleep 0.1; done';
    if (n === 1) return reply(call('exec_command', { cmd, tty: true, yield_time_ms: 1000 }));
    if (n === 2) return reply(call('write_stdin', { session_id: Number(session), chars: '\u0003' }));
    if (n === 3) return reply(call('write_stdin', { session_id: Number(session), chars: '' }));
    return reply(say('done'));
  });
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  await thread.close();
  expect(JSON.stringify(s.model.requests.at(-1)?.body.input)).toContain('caught');
});

test('when our process is killed, the far side ends the commands', async () => {
  const argument = String(++seconds);
  const program = `
    import { spawn } from 'node:child_process';
    import { environmentFromExec } from ${JSON.stringify(join(import.meta.dirname, '../../../dist/adapters.js'))};
    const environment = environmentFromExec({ exec: ([program, ...args]) => spawn(program, args) })({ cwd: '/' });
    const action = { kind: 'command', argv: ['sleep', '${argument}'], cwd: '/', login: false, escalate: false, yieldMs: 1 };
    const policy = { mode: 'danger-full-access', writableRoots: [], network: true };
    environment.prepare(policy);
    await environment.open(action, { callId: 'c', policy, sandboxed: false, onOutput() {}, onExit() {} });`;
  const host: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
  onTestFinished(() => void host.kill('SIGKILL'));
  await until(() => running(argument).some((command) => command.startsWith('sleep')));
  host.kill('SIGKILL');
  await until(() => running(argument).length === 0);
});

test('a far side that cannot be reached fails the call', async () => {
  const lost: Exec = () => spawn('/bin/sh', ['-c', 'echo No such container: x >&2; exit 1']);
  const s = await farScene(lost, [reply(call('exec_command', { cmd: 'true' })), reply(say('done'))]);
  const thread = await s.agent.startThread(s.threadOptions());
  expect(await thread.run('go')).toMatchObject({ status: 'completed' });
  expect(s.outputs(1).get('call_1')).toBe(
    'exec_command failed: The far side could not be reached: No such container: x',
  );
  await thread.close();
});
