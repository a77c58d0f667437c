import { expect, test } from 'vitest';
import { call } from '../../../../src/testing/index.ts';
import { processesWith } from '../../../harness/processes.ts';
import { drive, stageFor } from './drive.ts';

test('64 terminals run at once, and each responds', async () => {
  const { marker } = await drive(async ({ calls }) => {
    const opened = await calls(
      ...Array.from({ length: 64 }, () => call('exec_command', { cmd: 'cat', tty: true, yield_time_ms: 250 })),
    );
    const sessions = opened.map((output) => Number(/session ID (\d+)/.exec(output)?.[1]));
    expect(new Set(sessions).size).toBe(64);
    const typed = await calls(
      ...sessions.map((session_id, n) => call('write_stdin', { session_id, chars: `t${n}\n`, yield_time_ms: 2000 })),
    );
    expect(typed.map((output) => output.split('Output:\n')[1])).toEqual(typed.map((_, n) => `t${n}\r\nt${n}\r\n`));
    // One more replaces the terminal that was used least recently.
    await calls(call('exec_command', { cmd: 'cat', tty: true, yield_time_ms: 250 }));
    const known = await calls(
      ...sessions.map((session_id) => call('write_stdin', { session_id, chars: '\u0004', yield_time_ms: 1000 })),
    );
    expect(known.filter((output) => output.startsWith('write_stdin failed: Unknown process id'))).toHaveLength(1);
  });
  expect(processesWith(marker)).toEqual([]);
});

test('an agent has a limit too', async () => {
  const { agent, threadOptions, finished } = await stageFor(
    async ({ exec }) => {
      expect(await exec({ cmd: 'sleep 300', yield_time_ms: 250 })).toMatchObject({ exitCode: null });
      expect(await exec({ cmd: 'cat', tty: true, yield_time_ms: 250 })).toMatchObject({ exitCode: null });
      const { whole } = await exec({ cmd: 'true', yield_time_ms: 250 });
      expect(whole).toBe(
        'exec_command failed: 2 commands of this agent are running, and no more may. Wait until some have ended, or end them (write_stdin with "\\u0003"). The user can allow more with max_terminals under [tools] in config.toml.',
      );
    },
    { tools: { max_terminals: 2 } },
  );
  const thread = await agent.startThread(threadOptions());
  await thread.run('go');
  await finished();
  await thread.close();
});

test('terminals survive turns and interrupts, and end with the thread', async () => {
  let session: number | null = null;
  const { agent, events, threadOptions, model } = await stageFor(async ({ exec, until }) => {
    ({ session } = await exec({ cmd: 'cat', tty: true, yield_time_ms: 250 }));
    await until(session, 'first\n', 'first\r\nfirst');
    // Waits until the turn is interrupted.
    await exec({ cmd: 'sleep 301', yield_time_ms: 30_000 });
    await until(session, 'second\n', 'second\r\nsecond');
  });
  const thread = await agent.startThread(threadOptions());
  const controller = new AbortController();
  const interrupted = thread.run('go', { signal: controller.signal }).catch(() => undefined);
  while (!events.some((event) => event.type === 'item.started' && JSON.stringify(event).includes('sleep 301'))) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  controller.abort();
  await interrupted;
  await thread.run('go on');
  expect(model.unexpected).toEqual([]);
  const running = processesWith('OXBOW_COMMAND_ID').length;
  await thread.close();
  expect(running).toBeGreaterThan(0);
  expect(events.some((event) => event.type === 'command.output' && event.text.includes('second'))).toBe(true);
});

test('a long output is truncated in the middle for the model, and its events are bounded', async () => {
  const { events, stdout } = await drive(async ({ start, type }) => {
    const cmd = "head -c 200000000 /dev/zero | tr '\\0' x; echo; echo the end; sleep 300";
    const last = await start({ cmd, tty: false }, 'the end');
    expect(last.whole).toMatch(
      /Original token count: \d+\nOutput:\nWarning: truncated output \(original token count: \d+\)/,
    );
    expect(last.text).toMatch(/…\d+ (tokens|chars) truncated…/);
    expect(await type(last.session, '\u0003', 20_000)).toMatchObject({ exitCode: 130 });
  });
  expect(stdout.length).toBeLessThan(8_000_000);
  expect(JSON.stringify(events)).toMatch(/\\n\.\.\. \d+ bytes omitted \.\.\.\\n/);
});

test('a command that ignores SIGTERM, goes to the background and closes its pipes ends with the thread', async () => {
  const cmd =
    '(trap "" TERM HUP INT; exec >/dev/null 2>&1 </dev/null; setsid sh -c "trap \'\' TERM HUP INT; while :; do sleep 1; done" &) ; echo started';
  const { marker } = await drive(async ({ exec }) => {
    for (const tty of [false, true]) {
      const { text, exitCode } = await exec({ cmd, tty, yield_time_ms: 20_000 });
      expect({ text: text.trim(), exitCode }).toEqual({ text: 'started', exitCode: 0 });
    }
    const { text } = await exec({ cmd: 'ps ax -o args= | grep -c "[w]hile :; do sleep 1"', yield_time_ms: 20_000 });
    expect(Number(text)).toBeGreaterThanOrEqual(2);
  });
  expect(processesWith(marker)).toEqual([]);
});
