import { zeroTerminated } from '../process/zero-terminated.ts';

/** A command that a waiting process becomes. */
export interface AwaitedCommand {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly argv: readonly string[];
}

/** Returns the words of a command that waits inside a sandbox until it gets a request on its input, and becomes it. */
export function waitingCommand(perl: string): readonly string[] {
  return [perl, '-e', PROGRAM];
}

/**
 * Returns a request: its length in four bytes, then strings with a zero byte after each. Throws `ToolFailure` for a
 * string that contains a zero byte.
 */
export function packRequest({ cwd, env, argv }: AwaitedCommand): Buffer {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const body = zeroTerminated([cwd, String(variables.length), ...variables, ...argv]);
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  return Buffer.concat([head, body]);
}

/** Perl program. A request that ends too early, like none at all, ends it. */
const PROGRAM = String.raw`
sub take {
  my ($count) = @_;
  my $bytes = '';
  while (length $bytes < $count) {
    my $read = sysread(STDIN, $bytes, $count - length $bytes, length $bytes);
    exit 0 if defined $read ? $read == 0 : $! != 4;
  }
  $bytes;
}
my ($cwd, @words) = split /\0/, take(unpack('V', take(4))), -1;
pop @words;
my @variables = splice(@words, 0, shift @words);
open(STDIN, '<', '/dev/null');
if (!chdir $cwd) { print STDERR "oxbow-sandbox: $cwd: $!\n"; exit 1 }
%ENV = ();
for (@variables) { my $at = index($_, '='); $ENV{substr($_, 0, $at)} = substr($_, $at + 1) }
exec { $words[0] } @words or do { print STDERR "oxbow: $words[0]: $!\n"; exit($! == 2 ? 127 : 126) };
`;
