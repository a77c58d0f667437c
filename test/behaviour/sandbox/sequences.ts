import fc from 'fast-check';

/** Commands that run one after the other in one thread. */
export interface Sequence {
  /** Folder of Oxbow's home, which may lie in a writable root. */
  readonly home: string;
  readonly commands: readonly SequenceCommand[];
}

export interface SequenceCommand {
  /** A word and one or two paths each. */
  readonly operations: readonly string[];
  /** Whether the command does the same again and again while the next commands run. */
  readonly repeats: boolean;
}

const ROOTS = ['area/ws', 'area/ws/nested', 'area/ws/build', 't', 't/inner/ws2', 't/missing', 't/inner/ws2/missing'];
const ABOVE = ['area', 't/inner', 'area/ws/a', 'area/ws/a/b'];
const OUTSIDE = [
  'outside',
  'outside/file',
  'outside/sub',
  'outside/empty',
  'HOME',
  'HOME/rules',
  'HOME/rules/default.rules',
];
const INSIDE = [
  'area/ws/x',
  'area/ws/sub',
  'area/ws/sub/file',
  'area/ws/c',
  't/x',
  't/file',
  'area/ws/nested/x',
  't/inner/y',
];
const HIDDEN = ['area/ws/a/b/secret', 'area/ws/c/b/secret', 'outside/hidden', 'outside/hidden/key'];
const PROTECTED = [
  ...[
    '.git',
    '.git/config',
    '.git/hooks',
    '.git/hooks/pre-commit',
    '.git/info',
    '.git/logs/HEAD',
    '.git/COMMIT_EDITMSG',
  ].flatMap((name) => [`area/ws/${name}`, `t/inner/ws2/${name}`]),
  ...[
    'area/ws/.codex',
    'area/ws/.codex/config.toml',
    'area/ws/.oxbow',
    'area/ws/.oxbow/rules',
    'area/ws/.oxbow/rules/a.rules',
  ],
  ...['area/ws/nested/.git', 't/.git', 't/.oxbow', 't/inner/ws2/.codex', 'area/ws/.agents'],
];
/** Pipes of Oxbow itself. */
const PIPES = ['t/oxbow-*/0', 't/oxbow-*/1'];

const among = (...lists: readonly string[][]) => fc.constantFrom(...lists.flat());
const anywhere = fc.oneof(
  { weight: 8, arbitrary: among(ROOTS) },
  { weight: 6, arbitrary: among(ABOVE) },
  { weight: 2, arbitrary: among(OUTSIDE) },
  { weight: 4, arbitrary: among(INSIDE) },
  { weight: 2, arbitrary: among(HIDDEN) },
  { weight: 5, arbitrary: among(PROTECTED) },
  { weight: 1, arbitrary: among(PIPES) },
);
const target = fc.oneof(
  { weight: 3, arbitrary: fc.constant('outside') },
  { weight: 3, arbitrary: among(OUTSIDE) },
  { weight: 2, arbitrary: anywhere },
);
const words = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(' '));
const operation = fc.oneof(
  { weight: 8, arbitrary: words(fc.constantFrom('link', 'swap', 'swap'), target, anywhere) },
  { weight: 4, arbitrary: words(fc.constantFrom('move', 'move', 'exchange'), anywhere, anywhere) },
  { weight: 2, arbitrary: words(fc.constantFrom('hardlink', 'bind', 'copy'), anywhere, anywhere) },
  {
    weight: 4,
    arbitrary: words(fc.constantFrom('write', 'write', 'mkdir', 'remove', 'remake', 'pipe', 'open', 'mount'), anywhere),
  },
);

export const sequences: fc.Arbitrary<Sequence> = fc.record({
  home: fc.constantFrom('home', 'home', 't/home', 'area/ws/conf'),
  commands: fc.array(
    fc.record({
      operations: fc.array(operation, { minLength: 1, maxLength: 6 }),
      repeats: fc.nat(3).map((number) => number === 3),
    }),
    { minLength: 2, maxLength: 4 },
  ),
});

/**
 * Perl program that runs operations. After them it attempts to write to everything outside, and prints every file that
 * may be hidden. No attempt waits for a pipe.
 */
export const OPERATIONS = String.raw`
my ($base, $repeats, @operations) = @ARGV;
my $arm = -e '/lib/ld-linux-aarch64.so.1';
my ($mknodat, $renameat2, $mount) = $arm ? (33, 276, 40) : (259, 316, 165);
my ($home) = grep { -e "$_/config.toml" } map { "$base/$_" } 'home', 't/home', 'area/ws/conf';
sub path {
  my ($name) = @_;
  return $home . substr($name, 4) if $name =~ /^HOME/ && defined $home;
  my $path = "$base/$name";
  return $path if $path !~ /\*/;
  my @found = glob $path;
  @found ? $found[0] : $path;
}
sub put { sysopen(my $f, $_[0], 0x1 | 0x40 | 0x400 | 0x800, 0644) or return; syswrite $f, "evil\n" }
sub show { sysopen(my $f, $_[0], 0x800) or return; sysread $f, my $text, 200; print $text if defined $text }
sub entries { opendir(my $d, $_[0]) or return; grep { !/^\.\.?$/ } readdir $d }
sub remove {
  my ($path) = @_;
  if (-d $path && !-l $path) { remove("$path/$_") for entries($path); return rmdir $path }
  unlink $path;
}
sub search { my ($path, $depth) = @_; return if -l $path || $depth > 8; -d $path ? do { search("$path/$_", $depth + 1) for entries($path) } : -s $path >= 36 && show($path) }
my %run = (
  link => sub { my ($to, $at) = @_; unlink $at if -l $at; symlink $to, $at },
  swap => sub { my ($to, $at) = @_; rename $at, "$at-gone"; symlink $to, $at },
  move => sub { rename $_[0], $_[1] },
  exchange => sub { my ($from, $to) = @_; syscall($renameat2, -100, $from, -100, $to, 2) },
  hardlink => sub { my ($to, $at) = @_; unlink $at if -f $at; link $to, $at },
  copy => sub { my ($from, $at) = @_; sysopen(my $f, $from, 0x800) or return; sysread $f, my $text, 200; return if !length $text; sysopen(my $g, $at, 0x1 | 0x40 | 0x800, 0644) or return; syswrite $g, $text },
  bind => sub { my ($from, $at) = @_; syscall($mount, $from, $at, 0, 4096, 0) },
  mount => sub { my ($at) = @_; my $type = 'tmpfs'; syscall($mount, $type, $at, $type, 0, 0) },
  write => sub { my ($at) = @_; -d $at ? put("$at/new") : put($at) },
  mkdir => sub { mkdir $_[0] },
  remove => sub { remove($_[0]) },
  remake => sub { remove($_[0]); mkdir $_[0] },
  pipe => sub { my ($at) = @_; syscall($mknodat, -100, $at, 0010644, 0) },
  open => sub { chmod 0777, $_[0] },
);
do {
  for (@operations) { my ($word, @paths) = split / /; $run{$word}->(map { path($_) } @paths) }
  select(undef, undef, undef, 0.0005) if $repeats;
} while ($repeats);
put("$base/$_") for qw(outside/file outside/new outside/sub/file outside/sub/new outside/empty/new area/new new);
if (defined $home) { put("$home/$_") for qw(config.toml rules/default.rules rules/new.rules new) }
unlink "$base/outside/sub/deep/file";
search("$base/$_", 0) for qw(area/ws outside/hidden t);
`;
