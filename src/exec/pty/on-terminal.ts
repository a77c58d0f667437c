import { ToolFailure } from '../../base/errors.ts';
import { isExecutable } from '../process/is-executable.ts';
import type { Launch } from '../process/launch.ts';

/** Not the user's PATH, which may lead into the workspace. */
const SETSID = ['/usr/bin/setsid', '/bin/setsid', '/run/current-system/sw/bin/setsid'];

/** A process that leads a session makes a terminal that of the session by opening it. */
const TAKE_TERMINAL = 'exec "$@" <>"$0" >&0 2>&1';

/**
 * The same launch for a process that has a terminal for its streams: it leads a session whose terminal that is, which Ctrl-C,
 * jobs and the prompts for passwords need. Throws `ToolFailure` where that cannot be.
 */
export function onTerminal(launch: Launch, path: string): Launch {
  // It gives the command a session with its terminal by itself.
  if (launch.supervises) return launch;
  const { argv, commandAt, descriptors } = launch;
  // Then the first process stays what leads the session, or becomes it.
  if (descriptors.length === 0) {
    const take = ['/bin/sh', '-c', TAKE_TERMINAL, path];
    return { ...launch, argv: [...take, ...argv], commandAt: commandAt === 0 ? 0 : commandAt + take.length };
  }
  // Bubblewrap leads the session that it makes by itself: the command needs a further one.
  return { ...launch, argv: [...argv.slice(0, commandAt), findSetsid(), '-c', ...argv.slice(commandAt)] };
}

function findSetsid(): string {
  const found = SETSID.find(isExecutable);
  if (found !== undefined) return found;
  throw new ToolFailure(
    'execution',
    'a terminal in the sandbox needs the program setsid (install util-linux). Run the command with tty=false.',
  );
}
