import { ToolFailure } from '../../base/errors.ts';
import { isExecutable } from '../process/is-executable.ts';
import type { Launch } from '../process/launch.ts';

/** Not the user's PATH, which may lead into the workspace. */
const SETSID = ['/usr/bin/setsid', '/bin/setsid', '/run/current-system/sw/bin/setsid'];

/** The leader of a session makes a terminal the session's own by opening it. */
const TAKE_TERMINAL = 'exec "$@" <>"$0" >&0 2>&1';

/**
 * Returns the launch for a process with a terminal. The command then leads a session that owns the terminal, which
 * Ctrl-C, job control and password prompts need. Throws `ToolFailure` where that is impossible.
 */
export function onTerminal(launch: Launch, path: string): Launch {
  // A supervising launcher makes the session and takes the terminal itself.
  if (launch.supervises) return launch;
  const { argv, commandAt, descriptors } = launch;
  // The first process leads the session and becomes the command.
  if (descriptors.length === 0) {
    const take = ['/bin/sh', '-c', TAKE_TERMINAL, path];
    return { ...launch, argv: [...take, ...argv], commandAt: commandAt === 0 ? 0 : commandAt + take.length };
  }
  // Bubblewrap leads the session that it makes, so the command needs a session of its own.
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
