import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { survivors } from '../../../harness/survivors.ts';
import { createGround, type Ground, hasProgram, PATH, PEOPLE } from '../../sandbox/run-agent.ts';

const canTest = process.platform === 'linux' && ['bwrap', 'perl', 'setsid', 'pgrep'].every(hasProgram);

let ground: Ground;
let marks = 0;
beforeAll(() => {
  if (canTest) ground = createGround();
});
afterAll(() => ground?.dispose());

const PLACES = [
  { place: 'bubblewrap', sandbox: 'bubblewrap', mode: 'workspace-write' },
  { place: 'Landlock', sandbox: 'landlock', mode: 'workspace-write' },
  { place: 'full access', sandbox: 'landlock', mode: 'danger-full-access' },
] as const;

/** Returns a script of sleepers that ignore the end of their terminal and left it in every other way as well. */
function runaways(seconds: string): string {
  return [
    "trap '' HUP TERM INT",
    `sleep ${seconds} &`,
    `setsid sleep ${seconds} &`,
    `(setsid setsid sleep ${seconds} </dev/null >/dev/null 2>&1 &)`,
    `while [ $(pgrep -fc "^sleep ${seconds}") -lt 3 ]; do sleep 0.01; done; echo ready`,
    `sleep ${seconds}`,
  ].join('\n');
}

describe.skipIf(!canTest)('nothing of a terminal outlives the agent', () => {
  describe.each(PEOPLE)('as $name', (person) => {
    test.each(PLACES)('that was killed, in $place', async ({ sandbox, mode }) => {
      const cwd = ground.folder(person, 'w');
      const seconds = `${2_000_000 + process.pid}.${++marks}`;
      const argv = ['/bin/bash', '-c', runaways(seconds)];
      const policy = { mode, writableRoots: [cwd], network: false };
      const job = { policy, sandbox, cwd, argv, env: { PATH }, tty: true, ending: 'wait' } as const;
      const { child } = await ground.start(person, job);
      const running = survivors(seconds).length;
      child.kill('SIGKILL');
      expect(running).toBeGreaterThan(2);
      await vi.waitFor(() => expect(survivors(seconds)).toEqual([]), { timeout: 10_000 });
    });

    test.each(PLACES)('that closed it, in $place', async ({ sandbox, mode }) => {
      const cwd = ground.folder(person, 'w');
      const seconds = `${2_000_000 + process.pid}.${++marks}`;
      const argv = ['/bin/bash', '-c', runaways(seconds)];
      const policy = { mode, writableRoots: [cwd], network: false };
      await ground.run(person, { policy, sandbox, cwd, argv, env: { PATH }, tty: true, ending: 'close' });
      expect(survivors(seconds)).toEqual([]);
    });
  });
});
