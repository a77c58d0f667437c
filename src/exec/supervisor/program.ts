import { PERL_PARTS } from '../sandbox/landlock/perl-parts.ts';

/**
 * Perl program that starts commands for us. Only the parent of a process can end everything that the process starts,
 * and a small process forks faster than ours.
 *
 * Each request on the input gets a supervisor of its own. The supervisor starts the command and becomes the parent of
 * every orphaned process below it. It kills all of them when it gets SIGTERM, when this program or our process dies, or
 * when a confined command ends. Without a sandbox it stays as long as any process of the command runs.
 *
 * No request waits for a fork: the next supervisor runs already, with the process that will become its command. That
 * process reads the request from a pipe. It reports to its supervisor whose request it is and, if the start fails, why.
 *
 * A request is its length in four bytes, then strings with a zero byte after each:
 *
 * - the number of the request, the working directory, a path to open for output, a path to open for input or nothing
 * - 1 if the output is a terminal and so the input too
 * - the count of the words that confine the command, and these words
 * - the count of contents of descriptor 3 and the descriptors after it, and these contents in hexadecimal
 * - the count of variables, and the variables
 * - the words of the command
 *
 * An answer is a line that begins with the number of the request:
 *
 * - `started`, the processes of supervisor and command
 * - `failed`, the number of an error
 * - `ended`, the status
 * - `gone`: no process of the command is left
 * - `lost`: the supervisor was killed
 */
export const SUPERVISOR = String.raw`
my ($prctl, $capset, $setsid, $sigmask, $sigwait, $close, $exit, $dup3, $parent) = map { $_ + 0 } @ARGV;
${PERL_PARTS}
must('death signal', $prctl, 1, 15, 0, 0, 0);
exit 1 if getppid() != $parent;
# Reports for supervisors that a command has killed, since they cannot report themselves.
my (%supervised, $spare, $supervisor);
$SIG{CHLD} = sub {
  local ($!, $?);
  while ((my $pid = waitpid(-1, 1)) > 0) {
    undef $supervisor if defined $supervisor && $pid == $supervisor;
    my $id = delete $supervised{$pid};
    answer("$id lost") if defined $id && $? & 127;
  }
};
# Our process may be dead. The commands must be killed all the same.
$SIG{PIPE} = 'IGNORE';
my $server = $$;
# Takes the numbers of descriptors that a command may get, so that no other file has them.
my @reserved = map { open(my $file, '<', '/dev/null'); $file } 3, 4;
open(my $reply, '>&', STDOUT) or exit 1;
open(STDOUT, '>', '/dev/null') or exit 1;
answer('0 ready');
($spare, $supervisor) = make_spare();
while (1) {
  my $request = take(*STDIN, 4);
  $request .= take(*STDIN, unpack('V', $request));
  my ($id) = split /\0/, substr($request, 4), 2;
  # A spare that was killed accepts no request.
  if (!hand_over($id, $request)) {
    ($spare, $supervisor) = make_spare();
    answer("$id failed " . ($! + 0)) if !hand_over($id, $request);
  }
  close $spare if $spare;
  # Waits a moment for the next request: a fork during the start of the command would slow down both.
  vec(my $input = '', 0, 1) = 1;
  select($input, undef, undef, 0.004);
  ($spare, $supervisor) = make_spare();
}

# Notes the request before its supervisor can die of it.
sub hand_over {
  my ($id, $request) = @_;
  my $pid = $supervisor // return 0;
  $supervised{$pid} = $id;
  return 1 if put($spare, $request);
  delete $supervised{$pid};
  0;
}

sub answer { syswrite $reply, "$_[0]\n" }

sub take {
  my ($from, $count) = @_;
  my $bytes = '';
  while (length $bytes < $count) {
    my $read = sysread($from, $bytes, $count - length $bytes, length $bytes);
    exit 0 if defined $read ? $read == 0 : $! != 4;
  }
  $bytes;
}

sub put {
  my ($to, $bytes) = @_;
  return 0 if !$to;
  while (length $bytes) {
    my $written = syswrite($to, $bytes);
    return 0 if !defined $written && $! != 4;
    substr($bytes, 0, $written // 0, '');
  }
  1;
}

sub make_spare {
  pipe(my $requests, my $spare) or return;
  my $pid = fork;
  if (defined $pid && $pid == 0) { close $spare; supervise($requests) }
  defined $pid ? ($spare, $pid) : ();
}

sub supervise {
  my ($requests) = @_;
  $SIG{CHLD} = 'DEFAULT';
  open(STDIN, '<', '/dev/null');
  become_supervisor($server);
  pipe(my $told, my $tell) or exit 1;
  my $self = $$;
  my $main = fork;
  exit 1 if !defined $main;
  if ($main == 0) {
    # No process may be left that accepts a request without a supervisor.
    die_with($self);
    start($self, $requests, $tell);
    syswrite $tell, ' ' . ($! + 0);
    exit 1;
  }
  close $_ for $requests, $tell;
  # The start of the command closes the pipe.
  my ($id, $confined, $error) = split ' ', <$told> // '';
  exit 0 if !defined $id;
  if (defined $error) { waitpid($main, 0); answer("$id failed $error"); exit 0 }
  answer("$id started $$ $main");
  my $status;
  watch($main, sub { $status = shift; answer("$id ended $status") if !$confined; $confined });
  answer("$id ended $status") if $confined;
  answer("$id gone");
  syscall($exit, 0);
}

sub start {
  my ($supervisor, $requests, $tell) = @_;
  my ($id, $cwd, $output, $input, $is_terminal, @words) = split /\0/, take($requests, unpack('V', take($requests, 4))), -1;
  pop @words;
  my @confine = splice(@words, 0, shift @words);
  my @contents = splice(@words, 0, shift @words);
  my @variables = splice(@words, 0, shift @words);
  syswrite $tell, "$id " . @confine;
  $SIG{PIPE} = 'DEFAULT';
  # With O_NOCTTY: the terminal is attached once there is a session.
  sysopen(my $out, $output, $is_terminal ? 0x102 : 1) or return;
  open(STDIN, '<&', $out) or return if $is_terminal;
  open(STDIN, '<', $input) or return if $input ne '';
  open(STDOUT, '>&', $out) or return;
  open(STDERR, '>&', $out) or return;
  chdir $cwd or return;
  become_command($supervisor, @confine);
  my $number = 3;
  for (@contents) {
    pipe(my $from, my $to) or return;
    put($to, pack('H*', $_)) or return;
    must('descriptors', $dup3, fileno $from, $number++, 0);
  }
  set_variables(@variables);
  exec { $words[0] } @words;
}
`;
