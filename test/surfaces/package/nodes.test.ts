import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { allNodes } from '../../harness/nodes.ts';
import { runOxbow, startOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { startTerminal } from '../../harness/start-terminal.ts';

describe.each(allNodes())('on Node %s', (version, node) => {
  const env = { PATH: [dirname(node), process.env.PATH ?? ''].join(delimiter) };

  test('a command runs in the sandbox and in a terminal, nothing but events is printed, and a broken rollout is kept', async () => {
    const cmd = 'test -t 0 && echo no > .git/file; echo ran';
    const s = await scene([reply(call('exec_command', { cmd, tty: true }, { callId: 'c' })), reply(say('done'))]);
    const run = (...args: string[]) => runOxbow(['exec', '--json', ...args], { ...s, env });
    const { code, stderr, events } = await run('-s', 'workspace-write', 'go');
    expect([code, stderr]).toEqual([0, '']);
    expect(s.outputs(1).get('c')).toMatch(/(Read-only|denied|not permitted)[^\n]*\s+ran/);

    const path = breakOff(s.workspace.home);
    const broken = await run('resume', String(events[0]?.thread_id), 'go on');
    expect(broken.code).toBe(1);
    const isUnknown = version.startsWith('v20.');
    expect(broken.stderr).toContain(isUnknown ? `this Node (${version}) cannot` : 'cannot be unpacked: it breaks off.');
    expect(readdirSync(dirname(path))).toEqual([basename(path)]);
    expect(s.model.requests).toHaveLength(2);
  });

  test('the gateway answers, and prints nothing but its address', async () => {
    const s = await scene([reply(say('served'))]);
    const program = await startOxbow(['gateway', '--port', '0', '--json'], { ...s, env });
    const { url } = await program.waitForEvent(({ type }) => type === 'gateway.started');
    const body = JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content: 'go' }] });
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
    expect(await answer.text()).toContain('served');
    program.kill('SIGTERM');
    const { code, stderr } = await program.wait();
    expect([code, stderr]).toEqual([0, `The gateway listens on ${url}/v1\n`]);
  });

  test('the terminal shows a turn, and is as before at the end', async () => {
    const s = await scene([reply(call('exec_command', { cmd: 'true' })), reply(say('It is **done**.'))]);
    const terminal = startTerminal([], { ...s, env, isInShell: true });
    // The line is there when keys are taken.
    await terminal.shows('danger-full-access');
    terminal.type('go\r');
    await terminal.shows('It is done.');
    terminal.type('/quit\r');
    expect(await terminal.left()).toBe('[left with 0, settings restored]');
    expect((await terminal.lines()).join('\n')).not.toMatch(/Warning|Error/);
  });
});

/** Puts a file of zstd that breaks off in the place of the one rollout in a home. Returns its path. */
function breakOff(home: string): string {
  const folder = join(home, 'sessions');
  const [name = ''] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) =>
    one.endsWith('.jsonl'),
  );
  const text = readFileSync(join(folder, name));
  rmSync(join(folder, name));
  const path = join(folder, `${name}.zst`);
  // A frame with one block, which has the text as it is.
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 0, 0, 0]);
  header.writeUIntLE((text.length << 3) | 1, 6, 3);
  writeFileSync(path, Buffer.concat([header, text.subarray(0, -1)]));
  return path;
}
