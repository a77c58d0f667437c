import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isCallOutput } from '../../../src/base/item.ts';
import { reply, type Script, say } from '../../../src/testing/index.ts';
import { sampled } from '../../harness/runs.ts';
import { oneCommand, runLimited } from './run-limited.ts';

const onLinux = test.skipIf(!existsSync('/proc/self/fd'));

onLinux('threads that are closed leave no descriptor behind', async () => {
  const code = `
  for (let n = 1; n <= 60; n++) {
    const thread = await agent.startThread();
    await thread.run('go');
    await thread.close();
    if (n === 20 || n === 60) tell(open());
  }`;
  const [early = 0, late = 0] = (await runLimited(1024, code, () => reply(say('done')))) as number[];
  expect(late).toBeLessThanOrEqual(early + 3);
});

onLinux('threads of a process that inherited a descriptor share their replacement for it', async () => {
  const code = `
  const nulls = () => readdirSync('/proc/self/fd').filter((name) => {
    try { return readlinkSync('/proc/self/fd/' + name) === '/dev/null'; } catch { return false; }
  }).length;
  for (let n = 1; n <= 6; n++) {
    const thread = await agent.startThread({ ephemeral: true });
    await thread.run('go');
    await thread.close();
    if (n === 1 || n === 6) tell(nulls());
  }`;
  const seen: string[] = [];
  const script = oneCommand('readlink /proc/self/fd/20 || echo none', seen);
  const config = { sandbox_mode: 'workspace-write' };
  const [early, late] = await runLimited(1024, code, script, { config, inherits: '20</etc' });
  expect(late).toBe(early);
  expect(seen).toEqual(Array(6).fill(expect.stringContaining('none')));
});

onLinux.each(sampled([0, 2, 3, 5, 8, 13], 3))(
  'a turn with %d descriptors left fails with a sentence, and the next one completes',
  async (left) => {
    const code = `
    const held = [];
    try { for (;;) held.push(openSync('/dev/null')); } catch {}
    for (let n = 0; n < ${left}; n++) closeSync(held.pop());
    let thread;
    const run = async () => {
      thread ??= await agent.startThread();
      const { status, error } = await thread.run('go');
      return { status, message: error?.message };
    };
    const first = await run().catch(({ message }) => ({ status: 'failed', message }));
    held.forEach((descriptor) => closeSync(descriptor));
    tell(first);
    tell(await run());`;
    const [first, second] = await runLimited(200, code, oneCommand());
    expect(first).toMatchObject({ status: 'failed', message: expect.stringMatching(/EMFILE|ulimit -n/) });
    expect(second).toMatchObject({ status: 'completed' });
  },
);

/** Numbers of descriptors that are left for a command. */
const FEW = sampled(
  Array.from({ length: 24 }, (_, left) => left),
  8,
);

/** Holds all descriptors but a few while a thread with an open connection runs a command, then none while it runs one. */
const RUN_WITH_FEW_LEFT = `
const runWith = async (left) => {
  const thread = await agent.startThread({ ephemeral: true });
  await thread.run('say');
  const held = [];
  try { for (;;) held.push(openSync('/dev/null')); } catch {}
  for (let n = 0; n < left; n++) closeSync(held.pop());
  await thread.run('go');
  held.forEach((descriptor) => closeSync(descriptor));
  await thread.run('go');
  await thread.close();
};`;

onLinux.each(['danger-full-access', 'workspace-write'])(
  'a command that cannot be started names the limit of open files, and the next one runs (%s)',
  { timeout: 120_000 },
  async (mode) => {
    const outputs: [isLow: boolean, output: string][] = [];
    let isLow = false;
    const script: Script = (request, n) => {
      const input = request.body.input ?? [];
      const last = input.at(-1) as Parameters<typeof isCallOutput>[0];
      if (isCallOutput(last)) outputs.push([isLow, String(last.output)]);
      else if (JSON.stringify(last).includes('say')) return reply(say('done'));
      else isLow = !isLow;
      return oneCommand()(request, n);
    };
    // The first run has enough, and loads the parts of the library.
    const code = `${RUN_WITH_FEW_LEFT}
    await runWith(60);
    tell(open());
    for (const left of ${JSON.stringify(FEW)}) await runWith(left);
    tell(open());`;
    const [early = 0, late = 0] = (await runLimited(128, code, script, { config: { sandbox_mode: mode } })) as number[];
    expect(late).toBeLessThanOrEqual(early + 3);
    const low = outputs.filter(([isFirst]) => isFirst).map(([, output]) => output);
    for (const output of low) expect(output).toMatch(/ulimit -n|hello/);
    expect(low).toContainEqual(expect.stringMatching(/Too many open files \(os error 24\)\. .*ulimit -n/));
    const later = outputs.filter(([isFirst]) => !isFirst).map(([, output]) => output);
    expect(later).toEqual(Array(FEW.length + 1).fill(expect.stringContaining('hello')));
  },
);

onLinux('commands of many threads at once under a low limit end, each in its own way', async () => {
  const code = `
  const run = async (n) => {
    try {
      const thread = await agent.startThread({ ephemeral: n % 2 === 0 });
      const { status, error } = await thread.run('go');
      await thread.close();
      return error?.message ?? status;
    } catch (error) {
      return error.message;
    }
  };
  for (const message of await Promise.all(Array.from({ length: 60 }, (_, n) => run(n)))) tell(message);
  tell(await run(0));`;
  const outputs: string[] = [];
  const script = oneCommand('sleep 0.5; echo hello', outputs);
  const said = await runLimited(128, code, script);
  expect(said).toHaveLength(61);
  expect(said.at(-1)).toBe('completed');
  expect(said.filter((message) => !/^completed$|EMFILE|ulimit -n/.test(String(message)))).toEqual([]);
  expect(outputs.filter((output) => !/hello|ulimit -n/.test(output))).toEqual([]);
});

onLinux('more threads than descriptors complete', { timeout: 120_000 }, async () => {
  const code = `
  const threads = await Promise.all(Array.from({ length: 300 }, () => agent.startThread()));
  const results = await Promise.all(threads.map((thread, n) => thread.run(n < 5 ? 'command' : 'wait')));
  tell(results.filter(({ status }) => status === 'completed').length);`;
  const slowly: Script = async (request, n) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const isCommand = JSON.stringify(request.body.input).includes('"command"');
    return isCommand ? oneCommand()(request, n) : reply(say('done'));
  };
  expect(await runLimited(256, code, slowly)).toEqual([300]);
});
