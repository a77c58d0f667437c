import { delimiter, dirname } from 'node:path';
import { expect, test } from 'vitest';
import { type Item, isCallOutput, messageText } from '../../../../src/base/item.ts';
import { call, reply, say } from '../../../../src/testing/index.ts';
import { requestFaults } from '../../../harness/request-faults.ts';
import { runOxbow } from '../../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../../harness/scene.ts';
import { scriptedConfig } from '../../../harness/scripted-config.ts';
import { startProgram } from '../../../harness/start-program.ts';

const ROUNDS = 4;

/** Tests threads that both programs continue. */
export function testThreadsWith(codex: string): void {
  test('a thread goes back and forth between Codex and Oxbow, and both know all of it', {
    timeout: 300_000,
  }, async () => {
    const s = await scene(answer);
    s.workspace.configure(scriptedConfig(s.model.url));
    const first = await runOxbow(['exec', '--json', '-s', 'danger-full-access', 'turn 1'], s);
    expect(first.code, first.stderr).toBe(0);
    const [started] = first.events;
    const id = String(started?.thread_id);
    for (let turn = 2; turn <= 2 * ROUNDS; turn++) {
      const prompt = `turn ${turn}`;
      const run = turn % 2 === 0 ? await runCodex(codex, s, id, prompt) : await resumeOxbow(s, id, prompt);
      expect(run.code, `${prompt}\n${run.stderr}`).toBe(0);
      const input = lastInput(s);
      expect(requestFaults({ input }), prompt).toEqual([]);
      expect(userTexts(input)).toEqual(Array.from({ length: turn }, (_, index) => `turn ${index + 1}`));
      expect(input.filter(isCallOutput)).toHaveLength(turn);
    }
    expect(s.workspace.read('steps').trimEnd().split('\n')).toEqual(Array(2 * ROUNDS).fill('step'));
  });

  test('a thread that one program compacted goes on in the other', { timeout: 300_000 }, async () => {
    const s = await scene(answer);
    s.workspace.configure(scriptedConfig(s.model.url));
    const first = await runOxbow(['exec', '--json', '-s', 'danger-full-access', 'turn 1'], s);
    const id = String(first.events[0]?.thread_id);
    const compacted = await runOxbow(['threads', 'compact', id], s);
    expect(compacted.code, compacted.stderr).toBe(0);
    const run = await runCodex(codex, s, id, 'turn 2');
    expect(run.code, run.stderr).toBe(0);
    const input = lastInput(s);
    expect(requestFaults({ input })).toEqual([]);
    // The call of the first turn is gone; its prompt and the summary remain.
    expect(input.filter(isCallOutput)).toHaveLength(1);
    expect(userTexts(input)[0]).toBe('turn 1');
    expect(JSON.stringify(input)).toContain('the answer');
  });
}

function answer({ body }: { body: { input?: readonly unknown[] } }) {
  const last = body.input?.at(-1) as Item;
  if (isCallOutput(last)) return reply(say('the answer'));
  return isTurn(last) ? reply(call('exec_command', { cmd: 'echo step >> steps' })) : reply(say('the answer'));
}

function isTurn(item: Item): boolean {
  return item.type === 'message' && item.role === 'user' && /^turn \d+$/.test(messageText(item));
}

function lastInput({ model }: Scene): readonly Item[] {
  return (model.requests.at(-1)?.body.input ?? []) as readonly Item[];
}

function userTexts(input: readonly Item[]): string[] {
  return input.flatMap((item) => (isTurn(item) && item.type === 'message' ? [messageText(item)] : []));
}

function resumeOxbow(s: Scene, id: string, prompt: string) {
  return runOxbow(['exec', '--json', '-s', 'danger-full-access', 'resume', id, prompt], s);
}

async function runCodex(codex: string, { workspace }: Scene, id: string, prompt: string) {
  const program = await startProgram({
    command: codex,
    args: ['exec', '--dangerously-bypass-approvals-and-sandbox', '--skip-git-repo-check', 'resume', id, prompt],
    cwd: workspace.path,
    env: {
      PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
      HOME: workspace.home,
      CODEX_HOME: workspace.home,
      SCRIPTED_KEY: 'scripted-key',
    },
  });
  return program.wait();
}
