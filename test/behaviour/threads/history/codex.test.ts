import { expect, test, vi } from 'vitest';
import { call, reply, say } from '../../../../src/testing/index.ts';
import { libraryScene } from '../../../harness/library-scene.ts';
import { requestFaults } from '../../../harness/request-faults.ts';
import { CODEX, startCodex } from '../../../harness/run-codex.ts';

const threadOf = (stdout: string): string => JSON.parse(stdout.split('\n')[0] ?? '').thread_id;

// Without Codex no test counts as skipped.
if (CODEX) {
  test('a call in which Codex was killed is unknown to the model afterwards', async () => {
    const cmd = (n: number) => `echo k${n} >> effects; sleep 30`;
    const calls = [1, 2].map((n) => call('exec_command', { cmd: cmd(n), yield_time_ms: 30_000 }));
    const s = await libraryScene([reply(...calls), reply(say('done'))]);
    const codex = startCodex(s, 'go');
    let printed = '';
    codex.stdout?.on('data', (text) => (printed += text));
    const closed = new Promise((resolve) => codex.once('close', resolve));
    await vi.waitFor(() => expect(s.workspace.read('effects').split('\n').sort()).toEqual(['', 'k1', 'k2']), {
      timeout: 30_000,
    });
    codex.kill('SIGKILL');
    await closed;
    const thread = await s.agent.resumeThread(threadOf(printed));
    await thread.run('go on');
    await thread.close();
    const unknown = expect.stringContaining('Whether it took effect, wholly or in part, is not known');
    expect([...s.outputs(1).values()]).toEqual([unknown, unknown]);
    for (const { body } of s.model.requests) expect(requestFaults(body)).toEqual([]);
  });
} else {
  test('without Codex there is nothing to test', () => {
    expect(CODEX).toBeFalsy();
  });
}
