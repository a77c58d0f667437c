import { PERL_PARTS } from './perl-parts.ts';

/**
 * Perl program that runs its arguments as a command under Landlock and a seccomp filter. It is perl because Oxbow
 * contains no compiled code. It reads its instructions from descriptor 3 (see `pack-instructions.ts`).
 *
 * The program stays next to the command as its supervisor. When the command ends, SIGTERM arrives or the parent dies,
 * the program kills everything that the command started, and exits with the status of the command. Any failure before
 * the start of the command is fatal.
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
# Exits at once: perl would first free everything that it has allocated.
syscall($exit, $status & 127 ? 128 + ($status & 127) : $status >> 8);
`;
