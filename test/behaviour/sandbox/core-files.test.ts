import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { startOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const canTest = process.platform === 'linux';
const KEY = `key-${'of-the-user'.repeat(3)}`;
/** Starts a program whose core file may be as large as its memory. */
const WITH_CORE = ['/bin/bash', '-c', 'ulimit -c unlimited; exec "$0" "$@"'];

const filterOf = (pid: number) => Number.parseInt(readFileSync(`/proc/${pid}/coredump_filter`, 'utf8'), 16);

/** Reports whether this kernel writes a core file into the working folder instead of passing it to a program. */
const writesHere = () => /^[^|/]+$/.test(readFileSync('/proc/sys/kernel/core_pattern', 'utf8').trim());

describe.skipIf(!canTest)('a core file', () => {
  test('of the agent has none of its memory, and so no key', async () => {
    const s = await scene([reply(call('exec_command', { cmd: 'echo ready; sleep 60' })), reply(say('done'))]);
    const options = { ...s, wrap: WITH_CORE, env: { SCRIPTED_KEY: KEY }, config: { sandbox_mode: 'workspace-write' } };
    const program = await startOxbow(['exec', '--json', 'go'], options);
    const ended = program.wait();
    await program.waitForEvent((event) => JSON.stringify(event).includes('command_execution'));
    expect(filterOf(program.pid)).toBe(0);
    program.kill('SIGSEGV');
    expect((await ended).signal).toBe('SIGSEGV');
    if (!writesHere()) return;
    const cores = readdirSync(s.workspace.path).filter((name) => name.startsWith('core'));
    expect(cores).toHaveLength(1);
    expect(readFileSync(join(s.workspace.path, cores[0] ?? '')).includes(KEY)).toBe(false);
  });

  test('of the gateway has none of its memory', async () => {
    const s = await scene([]);
    const args = ['gateway', '--port', '0', '--json', '--upstream', s.model.url, '--wire', 'chat'];
    const program = await startOxbow(args, { workspace: s.workspace });
    await program.waitForEvent(({ type }) => type === 'gateway.started');
    expect(filterOf(program.pid)).toBe(0);
    program.kill('SIGTERM');
    await program.wait();
  });
});
