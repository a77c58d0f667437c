import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGround, type Ground, hasProgram, PATH, PEOPLE, type Person } from './run-agent.ts';

const canTest = process.platform === 'linux' && hasProgram('bwrap') && hasProgram('perl');

let ground: Ground;
beforeAll(() => {
  if (canTest) ground = createGround();
});
afterAll(() => ground?.dispose());

/**
 * Writes, creates, renames, links and deletes by random paths made of `..`, links to folders and files, links to links,
 * doubled slashes, /proc and similar names, all of which lead out of the workspace.
 */
const ATTEMPTS = String.raw`
my ($outside, $count) = @ARGV;
srand(7);
mkdir 'd'; mkdir 'd/e'; mkdir 'd/e/f';
my @up = ('..', '../..', 'd/..', 'd/e/../..', './/..', 'd/e/f/../../..', '../w/..');
symlink($outside, 'out'); symlink('out', 'out2'); symlink('..', 'd/up'); symlink("$outside/file", 'file-out');
symlink('/', 'top'); symlink('/proc/self/root', 'proc-root'); symlink('/proc/self/cwd/..', 'proc-up'); symlink('loop', 'loop');
symlink("../outside", "caf\xc3\xa9"); symlink("../outside", "cafe\xcc\x81"); symlink("../outside", "\xe2\x80\xae");
my @out = ('out', 'out2', "caf\xc3\xa9", "cafe\xcc\x81", "\xe2\x80\xae", "top$outside", "proc-root$outside", 'proc-up/outside', 'd/up/../outside',
  "/proc/self/root$outside", "/proc/$$/root$outside", "/proc/self/cwd/../outside", $outside, "/./$outside", "//$outside", "/dev/../$outside", "/tmp/..$outside");
push @out, map { "$_/outside" } '..', 'd/../..', '../w/../', './/..//.', 'd/e/f/../../../..';
my @names = ('file', 'new', './file', '../outside/file', 'deep/../file', "fi\xcc\x81le", "f\xc4\xb1le", 'file/.', 'x' x 200, "new\n", '-rf', ' ', 'sub/file', 'sub/../new', '....//new');
sub any { $_[rand @_] }
my %done;
for my $n (1 .. $count) {
  my $path = any(@out) . any('/', '//', '/./') . any(@names);
  $path = any(@up) . '/w/' . $path if $path !~ m{^/} && rand() < 0.3;
  my $kind = int rand 12;
  my $ok;
  if ($kind == 0) { $ok = open(my $f, '>', $path) }
  elsif ($kind == 1) { $ok = open(my $f, '>>', $path) }
  elsif ($kind == 2) { $ok = open(my $f, '+<', $path) }
  elsif ($kind == 3) { $ok = mkdir $path }
  elsif ($kind == 4) { $ok = unlink $path }
  elsif ($kind == 5) { $ok = rmdir $path }
  elsif ($kind == 6) { open(my $f, '>', "own-$n"); $ok = rename "own-$n", $path }
  elsif ($kind == 7) { open(my $f, '>', "own-$n"); $ok = link "own-$n", $path }
  elsif ($kind == 8) { $ok = link($path, "stolen-$n") && open(my $f, '>', "stolen-$n") }
  elsif ($kind == 9) { $ok = symlink 'd', $path }
  elsif ($kind == 10) { $ok = truncate $path, 0 }
  else { $ok = rename $path, "taken-$n" }
  $done{$ok ? 'succeeded' : 'failed'}++;
  print "$kind $path\n" if $ok;
}
print "attempts $count succeeded ", $done{succeeded} || 0, "\n";
`;

function contents(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => {
      const path = join(folder, name);
      const stat = lstatSync(path);
      return `${name} ${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.isFile() ? readFileSync(path, 'utf8') : ''}`;
    })
    .toSorted((a, b) => a.localeCompare(b));
}

function prepare(person: Person, name: string): { workspace: string; outside: string } {
  const workspace = ground.folder(person, name, 'w');
  const outside = ground.folder(person, name, 'outside');
  for (const folder of ['sub', 'deep']) ground.folder(person, name, 'outside', folder);
  for (const file of ['file', 'sub/file', 'deep/file']) writeFileSync(join(outside, file), 'original', { mode: 0o666 });
  return { workspace, outside };
}

describe.skipIf(!canTest)('10,000 attempts to leave the workspace by a path', () => {
  describe.each(PEOPLE)('by $name', (person) => {
    test.each(['bubblewrap', 'landlock'] as const)('fail under %s', async (sandbox) => {
      const { workspace, outside } = prepare(person, `${sandbox}-${person.id}`);
      const before = contents(outside);
      const policy = { mode: 'workspace-write', writableRoots: [workspace], network: false } as const;
      const argv = ['perl', '-e', ATTEMPTS, '--', outside, '10000'];
      const { text } = await ground.run(person, { policy, sandbox, cwd: workspace, argv, env: { PATH } });
      expect(text).toBe('attempts 10000 succeeded 0\n');
      expect(contents(outside)).toEqual(before);
    });
  });

  test('often succeed without a sandbox', async () => {
    const [person] = PEOPLE;
    if (person === undefined) return;
    const { workspace, outside } = prepare(person, 'free');
    const policy = { mode: 'danger-full-access', writableRoots: [], network: true } as const;
    const argv = ['perl', '-e', ATTEMPTS, '--', outside, '2000'];
    const { text } = await ground.run(person, { policy, sandbox: 'bubblewrap', cwd: workspace, argv, env: { PATH } });
    expect(Number(/succeeded (\d+)/.exec(text)?.[1])).toBeGreaterThan(300);
  });
});
