import { PERL_PARTS } from '../sandbox/landlock/perl-parts.ts';

/**
 * A program for perl that starts commands for us, since only the parent of a process can see to all that comes of it, and since
 * a small process forks faster than ours. For each request on its input it forks a supervisor, which starts the command and
 * is given every process that loses its parent below it. When SIGTERM comes, or this program or whoever started it dies, the
 * supervisor kills all of them; when a confined command ends, too. Without a sandbox it stays as long as anything
 * of the command runs.
 *
 * A request is its length in four bytes and strings with a zero byte behind each: a number for it, the working directory, a path
 * to open for output, the count of the words that confine it and these, the count of variables and these, the words of the
 * command. The answers are lines: the number, then `started` and the processes of supervisor and command, `failed` and an
 * error's number, or `ended` and the status.
 */
export const SUPERVISOR = String.raw`
my ($prctl, $capset, $setsid, $sigmask, $sigwait, $close, $exit, $parent) = map { $_ + 0 } @ARGV;
${PERL_PARTS}
must('death signal', $prctl, 1, 15, 0, 0, 0);
exit 1 if getppid() != $parent;
$SIG{CHLD} = 'IGNORE';
# Who is told may be dead: all the more must be killed.
$SIG{PIPE} = 'IGNORE';
my $server = $$;
open(my $reply, '>&', STDOUT) or exit 1;
open(STDOUT, '>', '/dev/null') or exit 1;
answer('0 ready');
while (1) {
  my $body = take(unpack('V', take(4)));
  my $pid = fork;
  supervise(split /\0/, $body, -1) if defined $pid && $pid == 0;
  answer((split /\0/, $body, 2)[0] . ' failed ' . ($! + 0)) if !defined $pid;
}

sub answer { syswrite $reply, "$_[0]\n" }

sub take {
  my ($count, $bytes) = (shift, '');
  while (length $bytes < $count) {
    my $read = sysread(STDIN, $bytes, $count - length $bytes, length $bytes);
    exit 0 if defined $read ? $read == 0 : $! != 4;
  }
  $bytes;
}

sub supervise {
  my ($id, $cwd, $output, @rest) = @_;
  pop @rest;
  my @confine = splice(@rest, 0, shift @rest);
  my @variables = splice(@rest, 0, shift @rest);
  $SIG{CHLD} = 'DEFAULT';
  open(STDIN, '<', '/dev/null');
  become_supervisor($server);
  pipe(my $failure, my $fail) or exit 1;
  my $self = $$;
  my $main = fork;
  if (defined $main && $main == 0) {
    $SIG{PIPE} = 'DEFAULT';
    start($self, $cwd, $output, \@confine, \@variables, \@rest);
    syswrite $fail, $! + 0;
    exit 1;
  }
  my $error = defined $main ? '' : $! + 0;
  close $fail;
  # Closed by the start of the command.
  $error .= <$failure> // '' if defined $main;
  if ($error ne '') { waitpid($main, 0); answer("$id failed $error"); exit 0 }
  answer("$id started $$ $main");
  my $status;
  watch($main, sub { $status = shift; answer("$id ended $status") if !@confine; scalar @confine });
  answer("$id ended $status") if @confine;
  syscall($exit, 0);
}

sub start {
  my ($supervisor, $cwd, $output, $confine, $variables, $words) = @_;
  sysopen(my $out, $output, 1) or return;
  open(STDOUT, '>&', $out) or return;
  open(STDERR, '>&', $out) or return;
  chdir $cwd or return;
  become_command($supervisor, @$confine);
  set_variables(@$variables);
  exec { $words->[0] } @$words;
}
`;
