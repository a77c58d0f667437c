import type { Arch } from '../seccomp/syscalls.ts';

/** Numbers of prctl, capset, setsid, rt_sigprocmask, rt_sigtimedwait, close, exit_group and dup3. */
export const SYSTEM_CALLS: Readonly<Record<Arch, string>> = {
  x64: '157 126 112 14 128 3 231 292',
  arm64: '167 91 157 135 137 57 94 24',
};

/** Functions that confine a process and set its variables. */
export const CONFINE_PARTS = String.raw`
sub fail { print STDERR "oxbow-sandbox: $_[0]: $!\n"; exit 125 }
# Copies the arguments, since perl cannot pass constants to a system call.
sub must { my ($what, $number, @args) = @_; my $r = syscall($number, @args); fail($what) if $r == -1; $r }
sub confine {
  my ($superuser, $fs, $scoped, $size, $filter, @rules) = @_;
  must('privileges', $prctl, 38, 1, 0, 0, 0);
  if ($superuser) {
    for my $cap (0 .. 63) { last if syscall($prctl, 24, $cap, 0, 0, 0) == -1 }
    syscall($prctl, 47, 4, 0, 0, 0);
    must('capabilities', $capset, pack('VV', 0x20080522, 0), pack('V6', 0, 0, 0, 0, 0, 0));
  }
  my $set = must('landlock', 444, pack('V6', $fs, 0, 0, 0, $scoped, 0), $size + 0, 0);
  my $how = pack('V6', 0x280000, 0, 0, 0, 6, 0);
  while (my ($access, $path) = splice(@rules, 0, 2)) {
    # Opens the path without following links, so that it leads nowhere else. A missing path needs no rule.
    my $is_open = $path =~ /^\d+$/;
    my $fd = $is_open ? $path + 0 : syscall(437, -100, $path, $how, 24);
    next if $fd == -1;
    my $rule = pack('VVl', $access, 0, $fd);
    syscall(445, $set, 1, $rule, 0);
    syscall($close, $fd) if !$is_open;
  }
  must('landlock', 446, $set, 0);
  return if $filter eq '';
  # Length and pointer of the program.
  $filter = pack('H*', $filter);
  must('filter', $prctl, 22, 2, pack('Sx6P', length($filter) / 8, $filter), 0, 0);
}

sub set_variables {
  %ENV = ();
  for (@_) { my $at = index($_, '='); $ENV{substr($_, 0, $at)} = substr($_, $at + 1) }
}
`;

/**
 * Functions that our perl programs share. They make system calls by number, without any module. Some numbers are the
 * same on all processors: 436 close_range, 437 openat2, 444 to 446 Landlock.
 *
 * Signals are not handled but waited for. Perl handles signals only between its own operations, and would miss one that
 * arrives right before it begins to wait.
 */
export const PERL_PARTS = String.raw`
${CONFINE_PARTS}
# TERM, INT, HUP, QUIT and CHLD.
my $signals = pack('VV', 0x14007, 0);
sub block_signals { must('signals', $sigmask, 0, $signals, 0, 8) }
sub allow_signals { must('signals', $sigmask, 2, pack('VV', 0, 0), 0, 8) }

# Orphaned processes below us become our children, and the death of our parent sends us SIGTERM.
sub become_supervisor {
  must('subreaper', $prctl, 36, 1, 0, 0, 0);
  must('death signal', $prctl, 1, 15, 0, 0, 0);
  exit 125 if getppid() != $_[0];
  block_signals();
}

sub die_with { must('death signal', $prctl, 1, 9, 0, 0, 0); exit 125 if getppid() != $_[0] }

# Runs in the child, before it becomes the command.
sub become_command {
  my ($supervisor, @confine) = @_;
  allow_signals();
  must('session', $setsid);
  # TIOCSCTTY: a terminal without a session becomes the terminal of this one.
  ioctl(STDIN, 0x540e, 0) if -t STDIN;
  die_with($supervisor);
  confine(@confine) if @confine;
  must('descriptors', 436, 3, 0xffffffff, 4);
}

# Waits for all children. Calls back with the status of $main. Kills the others once the callback returns true or a
# signal comes.
sub watch {
  my ($main, $ended) = @_;
  my $killing = 0;
  while (1) {
    my $pid = waitpid(-1, $killing ? 0 : 1);
    return if $pid == -1 && $! != 4;
    $killing = 1 if $pid == $main && $ended->($?);
    if ($pid == 0) { my $signal = syscall($sigwait, $signals, 0, 0, 8); $killing = 1 if $signal > 0 && $signal != 17 }
    kill 9, children() if $killing;
  }
}

sub children {
  if (open(my $in, '<', "/proc/$$/task/$$/children")) { my $line = <$in>; return split ' ', defined $line ? $line : '' }
  # For kernels without that file.
  eval 'opendir(my $proc, "/proc"); grep { open(my $in, "<", "/proc/$_/stat") && <$in> =~ /.*\) \S+ $$ / } grep { /^\d+$/ } readdir $proc';
}
`;
