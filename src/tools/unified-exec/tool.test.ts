import { expect, test } from 'vitest';
import type { View } from '../../base/tool.ts';
import { createUnifiedExec } from './tool.ts';

const view = { cwd: '/w', shell: '/bin/bash', repairArgv: true } as unknown as View;
const { plan } = createUnifiedExec(async () => ({ output: '', success: true }));

const planned = (args: object) =>
  plan({ callId: 'c', name: 'unified_exec', payload: { kind: 'function', arguments: JSON.stringify(args) } }, view);

test('without a session the command is started in a terminal', async () => {
  expect(await planned({ input: ['python3', '-i'] })).toEqual({
    kind: 'command',
    argv: ['python3', '-i'],
    cwd: '/w',
    login: true,
    escalate: false,
    tty: true,
    yieldMs: 1000,
  });
});

test.each([7, '7'])('with the session %j the joined text is typed', async (session_id) => {
  expect(await planned({ input: ['a b', 'c\n'], session_id })).toEqual({
    kind: 'terminal_input',
    terminalId: 7,
    chars: 'a bc\n',
    yieldMs: 1000,
  });
});

test.each([
  [1, 250],
  [5000, 5000],
  [1e9, 60_000],
])('a timeout of %d ms waits %d ms', async (timeout_ms, yieldMs) => {
  expect(await planned({ input: ['true'], timeout_ms })).toMatchObject({ yieldMs });
});

test.each([
  [{ input: [] }, 'unified_exec failed: `input` names no program to run'],
  [{ input: ['x'], session_id: 'seven' }, 'unified_exec failed: invalid session_id: seven'],
  [{ input: ['x'], session_id: '' }, 'unified_exec failed: invalid session_id: '],
])('%j is refused', async (args, message) => {
  await expect(planned(args)).rejects.toMatchObject({ kind: 'parse', message });
});
