import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isCallOutput } from '../../../src/base/item.ts';
import { call, reply, type Script, say } from '../../../src/testing/index.ts';
import { sampled } from '../../harness/runs.ts';
import { scene } from '../../harness/scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';
import { startProgram } from '../../harness/start-program.ts';

const LIBRARY = join(import.meta.dirname, '../../../dist/index.js');

/** A worker that runs commands in a folder of its own, closes its thread, and ends at the next message. */
const WORKER = `
import { mkdtempSync } from 'node:fs';
import { resolve } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { createAgent } from ${JSON.stringify(LIBRARY)};
const cwd = mkdtempSync('worker-');
const agent = createAgent({ cwd: resolve(cwd) });
const thread = await agent.startThread({ ephemeral: true });
const statuses = [];
for (let n = 0; n < 4; n++) statuses.push((await thread.run('go')).status);
await thread.close();
await agent.close();
parentPort.once('message', () => process.exit());
parentPort.postMessage(statuses);`;

/** Opens descriptors after the commands of the workers and before their end, and tells which of them are closed. */
const program = (workers: number) => `
import { once } from 'node:events';
import { fstatSync, openSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
const options = { eval: true, execArgv: ['--input-type=module'] };
const workers = Array.from({ length: ${workers} }, () => new Worker(${JSON.stringify(WORKER)}, options));
const statuses = (await Promise.all(workers.map((worker) => once(worker, 'message')))).flat(2);
const mine = Array.from({ length: 40 }, () => openSync('/etc/passwd'));
await Promise.all(workers.map((worker) => {
  worker.postMessage('end');
  return once(worker, 'exit');
}));
const closed = mine.filter((descriptor) => {
  try { fstatSync(descriptor); } catch { return true; }
});
process.stdout.write(JSON.stringify({ statuses, closed }));`;

const CASES = [
  { workers: 1, mode: 'danger-full-access' },
  { workers: 1, mode: 'workspace-write' },
  { workers: 6, mode: 'workspace-write' },
  { workers: 6, mode: 'danger-full-access' },
];

test.skipIf(!existsSync('/proc/self/fd')).each(sampled(CASES, 2))(
  '$workers workers that run commands close no descriptor of another thread ($mode)',
  async ({ workers, mode }) => {
    const outputs: unknown[] = [];
    const script: Script = ({ body }) => {
      const last = body.input?.at(-1) as Parameters<typeof isCallOutput>[0];
      if (!isCallOutput(last))
        return reply(call('exec_command', { cmd: 'echo one; echo two > /dev/stderr; echo three' }));
      outputs.push(last.output);
      return reply(say('done'));
    };
    const s = await scene(script);
    s.workspace.configure(scriptedConfig(s.model.url, { sandbox_mode: mode }));
    const started = await startProgram({
      command: process.execPath,
      args: ['--input-type=module', '-e', program(workers)],
      cwd: s.workspace.path,
      env: { PATH: process.env.PATH ?? '', HOME: s.workspace.home, OXBOW_HOME: s.workspace.home, SCRIPTED_KEY: 'x' },
    });
    const { stdout, stderr, code } = await started.wait();
    const told = { statuses: Array(4 * workers).fill('completed'), closed: [] };
    // Node warns on stderr of descriptors that were opened in one way and closed in another.
    expect({ code, stderr, ...JSON.parse(stdout || '{}') }).toEqual({ code: 0, stderr: '', ...told });
    expect(outputs).toEqual(Array(4 * workers).fill(expect.stringContaining('one\ntwo\nthree\n')));
  },
);
