import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reply, type Script, say } from '../../../src/testing/index.ts';
import { isFull } from '../../harness/runs.ts';
import { oneCommand, runLimited } from './run-limited.ts';

const THREADS = isFull() ? 1000 : 400;

/** Runs threads one after another, each twentieth with a command and each second without a record. */
const RUN_ONE_BY_ONE = `
const runAll = async (count) => {
  for (let n = 0; n < count; n++) {
    const thread = await agent.startThread({ ephemeral: n % 2 === 0 });
    const { status } = await thread.run(n % 20 === 0 ? 'command' : 'say');
    if (status !== 'completed') tell(status);
    await thread.close();
  }
};
const measure = async () => {
  // Sockets and processes of the last threads may still be closing.
  for (let n = 0; n < 5; n++) { await new Promise((done) => setTimeout(done, 50)); gc(); }
  const sockets = process.getActiveResourcesInfo().filter((name) => /TCP|Pipe|Process|Timeout/.test(name)).length;
  tell({ open: open(), sockets, heap: process.memoryUsage().heapUsed });
};`;

test.skipIf(!existsSync('/proc/self/fd'))(
  `${THREADS} threads leave no descriptor, socket, timer or memory behind`,
  async () => {
    const code = `${RUN_ONE_BY_ONE}
  await runAll(100);
  await measure();
  await runAll(${THREADS});
  await measure();`;
    const script: Script = (request, n) =>
      JSON.stringify(request.body.input).includes('"command"') ? oneCommand()(request, n) : reply(say('done'));
    // Code that V8 compiles for functions that often run would look like a leak.
    const settings = { node: ['--expose-gc', '--no-opt', '--no-sparkplug'] };
    const [early, late, ...failed] = (await runLimited(1024, code, script, settings)) as Measure[];
    expect(failed).toEqual([]);
    expect(late?.open).toBeLessThanOrEqual((early?.open ?? 0) + 3);
    expect(late?.sockets).toBeLessThanOrEqual((early?.sockets ?? 0) + 3);
    // A thousand threads that leave 1 kB each would leave 1 MB.
    expect((late?.heap ?? 0) - (early?.heap ?? 0)).toBeLessThan(1_000_000);
  },
);

interface Measure {
  readonly open: number;
  readonly sockets: number;
  readonly heap: number;
}
