import { PERL_PARTS } from './perl-parts.ts';

/**
 * A program for perl, since nothing of ours is compiled. It reads what to do from descriptor 3 (see `pack-instructions.ts`) and
 * runs its arguments as a command under Landlock and a seccomp filter. It stays beside the command as its supervisor: when
 * the command ends, SIGTERM comes or whoever started it dies, it kills all that came of the command, and ends as that did.
 * Anything that fails before the command is started is fatal.
 */
export const LAUNCHER = String.raw`
my ($prctl, $capset, $setsid, $sigmask, $sigwait, $close, $exit);
${PERL_PARTS}
$SIG{CHLD} = 'DEFAULT';
open(IN, '<&=3') or fail('instructions');
my @in = do { local $/; split /\0/, <IN>, -1 };
close IN;
($prctl, $capset, $setsid, $sigmask, $sigwait, $close, $exit) = map { $_ + 0 } split / /, shift @in;
my ($parent, $count) = splice(@in, 0, 2);
my @confine = splice(@in, 0, $count);
pop @in;
become_supervisor($parent);
my $self = $$;
my $main = fork;
defined $main or fail('fork');
if (!$main) {
  become_command($self, @confine);
  set_variables(@in);
  exec { $ARGV[0] } @ARGV or do { print STDERR "oxbow: $ARGV[0]: $!\n"; exit($! == 2 ? 127 : 126) };
}
my $status = 0;
watch($main, sub { $status = shift; 1 });
# At once: perl would first take down all that it has built up.
syscall($exit, $status & 127 ? 128 + ($status & 127) : $status >> 8);
`;
