import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { SandboxPolicy } from '../../../src/base/policy.ts';
import { survivors } from '../../harness/survivors.ts';
import type { Job } from './agent.ts';
import { createGround, type Ground, hasProgram, PATH, PEOPLE, type Person } from './run-agent.ts';

const canTest = process.platform === 'linux' && ['bwrap', 'perl', 'setsid', 'pgrep'].every(hasProgram);

let ground: Ground;
let marks = 0;
beforeAll(() => {
  if (canTest) ground = createGround();
});
afterAll(() => ground?.dispose());

/** Returns a script of sleepers that left their group, session, parent and variables behind. */
function runaways(seconds: string): string {
  return [
    `sleep ${seconds} &`,
    `setsid sleep ${seconds} &`,
    `(setsid setsid sleep ${seconds} &)`,
    `(env -i setsid sh -c "sleep ${seconds} & exec sleep ${seconds}" &)`,
    `nohup sh -c "trap '' TERM HUP INT; sleep ${seconds}" >/dev/null 2>&1 &`,
    `while [ $(pgrep -fc "^sleep ${seconds}") -lt 6 ]; do sleep 0.01; done; echo ready;`,
  ].join('\n');
}

interface Case {
  readonly person: Person;
  readonly sandbox: Job['sandbox'];
  readonly mode: SandboxPolicy['mode'];
  readonly ending?: Job['ending'];
  /** The command to run when all sleepers are running. */
  readonly end: string;
}

function jobOf({ person, sandbox, mode, ending, end }: Case): { job: Job; seconds: string } {
  const cwd = ground.folder(person, 'w');
  const seconds = `${1_000_000 + process.pid}.${++marks}`;
  const argv = ['/bin/bash', '-c', `${runaways(seconds)} ${end}`.replaceAll('SECONDS', seconds)];
  const policy = { mode, writableRoots: [cwd], network: false };
  return { seconds, job: { policy, sandbox, cwd, argv, env: { PATH }, ...(ending === undefined ? {} : { ending }) } };
}

const PLACES = [
  { place: 'bubblewrap', sandbox: 'bubblewrap', mode: 'workspace-write' },
  { place: 'Landlock', sandbox: 'landlock', mode: 'workspace-write' },
  { place: 'full access', sandbox: 'landlock', mode: 'danger-full-access' },
] as const;

describe.skipIf(!canTest)('nothing that a command started outlives', () => {
  describe.each(PEOPLE)('as $name', (person) => {
    describe.each(PLACES)('in $place', (place) => {
      test('its end, or that of its thread', async () => {
        const { job, seconds } = jobOf({ person, ...place, end: 'exit 3' });
        expect(await ground.run(person, job)).toMatchObject({ exitCode: 3 });
        expect(survivors(seconds)).toEqual([]);
      });

      test.each(['kill', 'close'] as const)('a %s', async (ending) => {
        const { job, seconds } = jobOf({ person, ...place, ending, end: 'sleep SECONDS' });
        await ground.run(person, job);
        expect(survivors(seconds)).toEqual([]);
      });

      test('the exit of the program', async () => {
        const { job, seconds } = jobOf({ person, ...place, ending: 'exit', end: 'sleep SECONDS' });
        await ground.run(person, job);
        await vi.waitFor(() => expect(survivors(seconds)).toEqual([]), 20_000);
      });

      test('the violent death of the program', async () => {
        const { job, seconds } = jobOf({ person, ...place, ending: 'wait', end: 'sleep SECONDS' });
        const { child } = await ground.start(person, job);
        const running = survivors(seconds).length;
        child.kill('SIGKILL');
        expect(running).toBeGreaterThan(5);
        await vi.waitFor(() => expect(survivors(seconds)).toEqual([]), { timeout: 10_000 });
      });
    });
  });
});
