import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGround, type Ground, hasProgram, PATH, PEOPLE } from './run-agent.ts';

const canTest = process.platform === 'linux' && hasProgram('bwrap') && hasProgram('perl');

let ground: Ground;
beforeAll(() => {
  if (canTest) ground = createGround();
});
afterAll(() => ground?.dispose());

/** Replaces every named pipe that appears in a folder below the given one by a link to a file. */
const RACER = String.raw`
my ($folder, $target) = @ARGV;
$| = 1;
print "ready\n";
while (1) {
  opendir(my $names, $folder) or next;
  for my $name (grep { !/^\.\.?$/ && -d "$folder/$_" } readdir $names) {
    for my $n (0 .. 7) {
      next unless -p "$folder/$name/$n";
      symlink($target, "$folder/link");
      rename("$folder/link", "$folder/$name/$n");
    }
  }
}
`;

/** The racer wins about one time in three where nothing stops it. */
const ATTEMPTS = 12;

describe.skipIf(!canTest)('a command that replaces the pipes for output by links', () => {
  describe.each(PEOPLE)('of $name', (person) => {
    test.each([
      ['bubblewrap', 'a home'],
      ['bubblewrap', 'no home'],
      ['landlock', 'a home'],
      ['landlock', 'no home'],
    ] as const)('under %s with %s changes no file outside', async (sandbox, withHome) => {
      const name = `pipes-${sandbox}-${withHome}-${person.id}`;
      const workspace = ground.folder(person, name, 'w');
      const temporary = ground.folder(person, name, 't');
      const home = ground.folder(person, name, 'home');
      const outside = join(ground.folder(person, name, 'outside'), 'file');
      writeFileSync(outside, 'original');
      chmodSync(outside, 0o666);
      const policy = { mode: 'workspace-write', writableRoots: [workspace, temporary], network: false } as const;
      const { text } = await ground.run(person, {
        policy,
        sandbox,
        cwd: workspace,
        background: ['perl', '-e', RACER, '--', temporary, outside],
        argv: ['/bin/echo', 'payload'],
        times: ATTEMPTS,
        env: { PATH, TMPDIR: temporary },
        ...(withHome === 'a home' ? { home } : {}),
      });
      expect(readFileSync(outside, 'utf8')).toBe('original');
      expect(text).toBe('payload\n'.repeat(ATTEMPTS));
    });
  });
});
