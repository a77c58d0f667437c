import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UserError } from '../../../src/index.ts';
import { startDeafServer } from '../../../src/model/test-loopback.ts';
import { call, gate, reply, type Script, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { processesWith } from '../../harness/processes.ts';
import { scene } from '../../harness/scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';
import { startProgram } from '../../harness/start-program.ts';

const never = gate(new Promise(() => {}));

test('a closed agent refuses every call, and can be closed again', async () => {
  const s = await libraryScene([reply(say('done'))]);
  const { agent } = s;
  const thread = await agent.startThread();
  await thread.run('go');
  await Promise.all([agent.close(), agent.close()]);
  await agent.close();
  const uses: (() => Promise<unknown>)[] = [
    () => agent.startThread(),
    () => agent.resumeThread(thread.id),
    () => agent.forkThread(thread.id),
    () => agent.lastThread(),
    () => agent.usage(thread.id),
    () => agent.restore(thread.id, { turn: 1 }),
    () => agent.replay(thread.id),
    () => agent.threads.show(thread.id),
    () => agent.threads.list().next(),
  ];
  for (const use of uses)
    await expect(use()).rejects.toThrow(
      new UserError('closed', 'This agent is closed. Make another one with createAgent().'),
    );
  await expect(thread.run('more')).rejects.toThrow('This thread is closed.');
});

test('close() interrupts running turns and waits for threads that are being opened', async () => {
  const s = await libraryScene([reply(say('half'), never), reply(say('half'), never)]);
  const threads = [await s.agent.startThread(), await s.agent.startThread()];
  const turns = threads.map((thread) => thread.run('go'));
  await s.model.waitForRequest(2);
  const late = s.agent.startThread();
  await s.agent.close();
  for (const turn of turns) expect((await turn).status).toBe('aborted');
  await expect((await late).run('go')).rejects.toThrow('This thread is closed.');
});

test('an agent can be disposed of', async () => {
  const { agent } = await libraryScene([]);
  await agent[Symbol.asyncDispose]();
  await expect(agent.startThread()).rejects.toThrow(UserError);
});

test('a thread and its agent may be closed at the same time', async () => {
  const { agent } = await libraryScene([reply(say('done'))]);
  const thread = await agent.startThread();
  await thread.run('go');
  await Promise.all([thread.close(), thread.close(), agent.close()]);
});

/** Returns a program that uses the built library, closes its agent and prints what is left and was not there before. */
const program = (use: string) => `
import { readdirSync, readlinkSync, writeSync } from 'node:fs';
import { createAgent } from ${JSON.stringify(join(import.meta.dirname, '../../../dist/index.js'))};
const linkOf = (fd) => { try { return readlinkSync('/proc/self/fd/' + fd); } catch { return ''; } };
const sockets = () => readdirSync('/proc/self/fd').map(linkOf).filter((link) => link.startsWith('socket:'));
const resources = () => process.getActiveResourcesInfo();
// Node opens this stream itself when a socket ends.
process.stderr;
const before = { resources: resources(), sockets: sockets() };
const agent = createAgent();
const listeners = [];
const thread = await agent.startThread({ onEvent: (event) => listeners.forEach((listener) => listener(event)) });
const event = (type) => new Promise((resolve) => listeners.push((event) => event.type === type && resolve()));
${use}
await agent.close();
const without = (list, known) => list.filter((one) => {
  const at = known.indexOf(one);
  if (at >= 0) known.splice(at, 1);
  return at < 0;
});
writeSync(1, JSON.stringify({
  resources: without(resources(), before.resources),
  sockets: without(sockets(), before.sockets),
}));
`;

/** Runs the program, which must end by itself. */
async function leftBy(use: string, script: Script, url?: string) {
  const s = await scene(script);
  s.workspace.configure(scriptedConfig(url ?? s.model.url));
  const env = { HOME: s.workspace.home, OXBOW_HOME: s.workspace.home, PATH: process.env.PATH ?? '', SCRIPTED_KEY: 'k' };
  const run = await startProgram({
    command: process.execPath,
    args: ['--input-type=module', '-e', program(use)],
    cwd: s.workspace.path,
    env,
  });
  const { stdout, stderr } = await run.wait();
  return { stderr, left: JSON.parse(stdout || 'null'), processes: processesWith(run.marker) };
}

const NOTHING = { stderr: '', left: { resources: [], sockets: [] }, processes: [] };

test.skipIf(process.platform !== 'linux')('a closed agent leaves no socket, timer or process', async () => {
  expect(await leftBy("await thread.run('go');", [reply(say('done'))])).toEqual(NOTHING);
});

test.skipIf(process.platform !== 'linux')('nor with a turn in progress', async () => {
  const use = "const turn = thread.run('go'); await event('text.delta');";
  expect(await leftBy(use, [reply(say('half'), never)])).toEqual(NOTHING);
});

test.skipIf(process.platform !== 'linux')('nor with a running command', async () => {
  const use = "const turn = thread.run('go'); await event('command.output');";
  const command = call('exec_command', { cmd: 'echo begun; sleep 1000' });
  expect(await leftBy(use, [reply(command)])).toEqual(NOTHING);
});

test.skipIf(process.platform !== 'linux')('nor while it connects', async () => {
  const use = `const turn = thread.run('go');
    while (!resources().includes('TCPSocketWrap')) await new Promise((resolve) => setTimeout(resolve, 5));`;
  expect(await leftBy(use, [], `${(await startDeafServer()).origin}/v1`)).toEqual(NOTHING);
});
