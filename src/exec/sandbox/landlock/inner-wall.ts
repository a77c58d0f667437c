import type { DescriptorContent } from '../../process/launch.ts';
import { packBubblewrapVariables } from '../bubblewrap.ts';
import type { Arch } from '../seccomp/syscalls.ts';
import { findInnerRules, type InnerFacts } from './find-rules.ts';
import { confineFields, type LandlockVariant, packInstructions } from './pack-instructions.ts';
import { CONFINE_PARTS } from './perl-parts.ts';

/** The part of a launch that runs inside bubblewrap and becomes the command. */
export interface InnerWall {
  /** Arguments of `confine` in perl; empty without Landlock. */
  readonly limits: readonly string[];
  /** Words before the command. */
  readonly argv: readonly string[];
  /** Descriptor that bwrap, or the program inside, reads the variables of the command from. */
  readonly variables: DescriptorContent;
}

/** Returns Landlock as a wall inside bubblewrap, or nothing where Landlock does not work. */
export function innerWall(arch: Arch, facts: InnerFacts & { readonly landlock?: LandlockVariant }): InnerWall {
  const { landlock } = facts;
  if (landlock === undefined) return { limits: [], argv: [], variables: packBubblewrapVariables };
  const { perl, version } = landlock;
  const limits = confineFields({ version, superuser: false, rules: findInnerRules(facts), filter: undefined });
  return {
    limits,
    argv: [perl, '-e', ENTER, '--'],
    variables: (variables) => packInstructions(arch, 0, limits, variables),
  };
}

/**
 * Perl program that restricts itself with Landlock and becomes the command. Before that it has no variables of the
 * command, which could make it do something else. Without words of a command it waits for a request on its input (see
 * `awaited-command.ts`); a request that ends too early, like none at all, ends the program.
 */
const ENTER = String.raw`
my ($prctl, $capset, $close);
${CONFINE_PARTS}
open(IN, '<&=3') or fail('instructions');
my @in = do { local $/; split /\0/, <IN>, -1 };
close IN;
($prctl, $capset, $close) = (map { $_ + 0 } split / /, shift @in)[0, 1, 5];
my (undef, $count) = splice(@in, 0, 2);
my @confine = splice(@in, 0, $count);
pop @in;
confine(@confine);
must('descriptors', 436, 3, 0xffffffff, 4);
if (!@ARGV) {
  @in = split /\0/, take(unpack('V', take(4))), -1;
  pop @in;
  my $cwd = shift @in;
  @ARGV = splice(@in, 0, shift @in);
  open(STDIN, '<', '/dev/null');
  chdir $cwd or fail($cwd);
}
set_variables(@in);
exec { $ARGV[0] } @ARGV or do { print STDERR "oxbow: $ARGV[0]: $!\n"; exit($! == 2 ? 127 : 126) };
sub take {
  my ($count) = @_;
  my $bytes = '';
  while (length $bytes < $count) {
    my $read = sysread(STDIN, $bytes, $count - length $bytes, length $bytes);
    exit 0 if defined $read ? $read == 0 : $! != 4;
  }
  $bytes;
}
`;
