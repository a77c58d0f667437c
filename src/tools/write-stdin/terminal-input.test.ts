import { expect, test } from 'vitest';
import type { TerminalInputAction } from '../../base/action.ts';
import type { CallEnvironment, Terminal } from '../../base/environment.ts';
import { createTerminalInput } from './terminal-input.ts';

const inputTo = (terminalId: number, chars: string): TerminalInputAction => ({
  kind: 'terminal_input',
  terminalId,
  chars,
  yieldMs: 250,
});

/** Returns an environment whose terminals record their calls. A call of `collect` lasts until `release`. */
function scene(ids: readonly number[]) {
  const done: string[] = [];
  const looks = new Map<number, () => void>();
  const terminal = (id: number): Terminal => ({
    id,
    async write(chars) {
      done.push(`${id} gets ${chars}`);
    },
    async collect() {
      await new Promise<void>((resolve) => looks.set(id, resolve));
      done.push(`${id} looked at`);
      return { text: '', waitedMs: 0, exitCode: null };
    },
    resize() {},
    async kill() {},
  });
  const terminals = new Map(ids.map((id) => [id, terminal(id)]));
  const controller = new AbortController();
  const environment = {
    signal: controller.signal,
    textLimit: { unit: 'tokens', limit: 1000 },
    chunkId: () => '000000',
    terminal: (id: number) => terminals.get(id),
  } as unknown as CallEnvironment;
  const release = async (id: number) => {
    while (!looks.has(id)) await new Promise((resolve) => setTimeout(resolve, 5));
    looks.get(id)?.();
    looks.delete(id);
  };
  return { done, environment, controller, release };
}

test('calls on one terminal run one after the other, calls on others do not wait', async () => {
  const { done, environment, release } = scene([1, 2]);
  const input = createTerminalInput();
  const calls = [inputTo(1, 'a'), inputTo(1, 'b'), inputTo(2, 'c')].map((action) =>
    input('write_stdin', action, environment),
  );
  await release(2);
  await calls[2];
  expect(done).toEqual(['1 gets a', '2 gets c', '2 looked at']);
  await release(1);
  await release(1);
  await Promise.all(calls);
  expect(done.slice(3)).toEqual(['1 looked at', '1 gets b', '1 looked at']);
});

test('a call that failed does not hold up the next', async () => {
  const { environment, release } = scene([1]);
  const input = createTerminalInput();
  await expect(input('write_stdin', inputTo(7, 'x'), environment)).rejects.toMatchObject({
    kind: 'execution',
    message: 'write_stdin failed: Unknown process id 7',
  });
  const next = input('unified_exec', inputTo(1, 'y'), environment);
  await release(1);
  expect((await next).output).toContain('Process running with session ID 1');
});

test('a waiting call is not typed when the turn is interrupted', async () => {
  const { done, environment, controller, release } = scene([1]);
  const input = createTerminalInput();
  const first = input('write_stdin', inputTo(1, 'a'), environment);
  const second = expect(input('write_stdin', inputTo(1, 'b'), environment)).rejects.toThrow('stop');
  while (done.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort(new Error('stop'));
  await release(1);
  await Promise.all([first, second]);
  expect(done).toEqual(['1 gets a', '1 looked at']);
});
