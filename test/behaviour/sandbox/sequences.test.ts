import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFull } from '../../harness/runs.ts';
import { createGround, type Ground, hasProgram, PEOPLE } from './run-agent.ts';
import type { SequenceJob, SequenceReport } from './sequence-agent.ts';

const canTest = process.platform === 'linux' && hasProgram('bwrap') && hasProgram('perl');
const SANDBOXES = ['bubblewrap', 'landlock'] as const;

const SEQUENCES = isFull() ? 2000 : 40;
const EACH = Math.ceil(SEQUENCES / (PEOPLE.length * SANDBOXES.length));

let ground: Ground<SequenceJob, SequenceReport>;
beforeAll(() => {
  if (canTest) ground = createGround('sequence-agent.ts');
});
afterAll(() => ground?.dispose());

describe.skipIf(!canTest)(`${SEQUENCES} random sequences of commands`, () => {
  describe.each(PEOPLE)('by $name', (person) => {
    test.concurrent.each(SANDBOXES)(
      'change nothing outside and read nothing hidden under %s',
      { timeout: 900_000 },
      async (sandbox) => {
        const folder = ground.folder(person, `${person.id}-${sandbox}`);
        const { failure, passed } = await ground.run(person, { sandbox, count: EACH, folder });
        expect(failure, `after ${passed} sequences`).toBeNull();
      },
    );
  });

  test('would change something without a sandbox', async () => {
    // Not root, whose mounts would stay.
    const person = PEOPLE.at(-1);
    if (person === undefined) throw new Error('nobody is here');
    const { failure, passed } = await ground.run(person, {
      sandbox: 'none',
      count: 5,
      folder: ground.folder(person, 'free'),
    });
    expect(failure).toContain('outside/file: was');
    expect(passed).toBe(0);
  });
});
