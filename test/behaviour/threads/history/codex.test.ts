import { expect, test, vi } from 'vitest';
import { call, type RecordedRequest, reply, say } from '../../../../src/testing/index.ts';
import { libraryScene } from '../../../harness/library-scene.ts';
import { requestFaults } from '../../../harness/request-faults.ts';
import { CODEX, runCodex, startCodex } from '../../../harness/run-codex.ts';

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

  test('tools and instructions that Codex records for its own model are not sent on', async () => {
    const s = await libraryScene((_: RecordedRequest, n: number) => reply(say(`answer ${n}`)), {
      model: 'gpt-6.1-sol',
    });
    const id = threadOf(await runCodex(s, 'first'));
    const thread = await s.agent.resumeThread(id);
    await thread.run('second');
    await thread.close();
    await runCodex(s, 'resume', id, 'third');
    const [theirs, ours, theirsAgain] = s.model.requests.map(({ body }) => body);
    expect(theirs?.input?.[0]?.type).toBe('additional_tools');
    expect(JSON.stringify(ours?.input)).not.toContain('additional_tools');
    const { base_instructions } = thread.state.meta ?? {};
    const instructions = JSON.stringify(base_instructions?.text);
    expect(instructions.length).toBeGreaterThan(1000);
    expect(JSON.stringify(ours).split(instructions)).toHaveLength(2);
    expect(theirsAgain?.input?.slice(0, 2)).toEqual(theirs?.input?.slice(0, 2));
    expect(requestFaults(ours ?? {})).toEqual([]);
  });
} else {
  test('without Codex there is nothing to test', () => {
    expect(CODEX).toBeFalsy();
  });
}
