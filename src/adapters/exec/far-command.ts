import { basename } from 'node:path';
import type { CommandAction } from '../../base/action.ts';
import { inputClosed } from '../../exec/output/input-closed.ts';
import type { ProcessEvents, StartedProcess } from '../../exec/output/started-process.ts';
import type { Exec, ExecProcess } from './exec-process.ts';
import { type FarGuard, MARK_VARIABLE } from './guard.ts';
import { startScript } from './start-script.ts';

/** Settings of the shells that run commands. */
export interface FarShell {
  /** Shell on the far side for all commands. Default: the agent's shell if the far side has it, otherwise `/bin/sh`. */
  readonly shell?: string;
  /**
   * Whether a shell may read its login profile. Default: true. Set it to false for containers: the profile of many
   * images resets the PATH of the image.
   */
  readonly login?: boolean;
}

export interface FarCommand {
  readonly action: CommandAction;
  readonly mark: string;
  /** Folder on the far side. */
  readonly cwd: string;
  readonly settings: FarShell;
}

/**
 * Runs the words of a command. The shell that runs this script has no mark, so that it survives the command and reports
 * its exit code. A session of its own keeps signals to the group of the command away from the script.
 */
const COMMAND_SCRIPT = `mark=$1 dir=$2 input=$3 fallback=$4
shift 4
exec 2>&1
[ "$input" ] || exec </dev/null
cd "$dir" || exit 1
if [ "$fallback" ] && ! command -v "$1" >/dev/null; then shift; set -- "$fallback" "$@"; fi
${MARK_VARIABLE}=$mark
export ${MARK_VARIABLE}
if command -v setsid >/dev/null; then exec setsid "$@"; fi
exec "$@"`;

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'ksh', 'mksh', 'zsh', 'fish']);
const INTERRUPT = '\u0003';
const END_OF_INPUT = '\u0004';

/** Starts a command on the far side. `onConnection` gets the process on this side, and `onClosed` its end. */
export async function startFarCommand(
  { exec, guard }: { readonly exec: Exec; readonly guard: FarGuard },
  { action, mark, cwd, settings }: FarCommand,
  events: ProcessEvents & { onClosed(): void },
): Promise<StartedProcess & { readonly connection: ExecProcess }> {
  const { argv, fallback } = wordsOf(action, settings);
  const input = action.tty ? 'yes' : '';
  const { pid, connection } = await startScript(
    exec,
    { script: COMMAND_SCRIPT, args: [mark, cwd, input, fallback, ...argv] },
    {
      data: events.data,
      exited(exitCode, lost) {
        if (lost !== undefined) events.data(Buffer.from(`\nThe connection to the command was lost: ${lost}\n`));
        events.exited(exitCode);
        events.outputEnded();
      },
      closed: events.onClosed,
    },
  );
  if (!action.tty) connection.stdin?.end();
  return {
    pid,
    connection,
    isSupervised: false,
    signal: () => undefined,
    write: (chars) => type(chars, { connection, interrupt: () => guard.signal('INT', mark) }),
    abandonOutput: () => undefined,
  };
}

/** Returns the words of a command, and the shell for the case that the far side does not have its shell. */
function wordsOf({ argv, login }: CommandAction, settings: FarShell): { argv: readonly string[]; fallback: string } {
  const [program = '', flag, ...rest] = argv;
  const isShell = SHELLS.has(basename(program)) && (flag === '-c' || flag === '-lc');
  if (!isShell) return { argv, fallback: '' };
  const flags = login && (settings.login ?? true) ? '-lc' : '-c';
  return { argv: [settings.shell ?? program, flags, ...rest], fallback: '/bin/sh' };
}

interface Typing {
  readonly connection: ExecProcess;
  interrupt(): Promise<void>;
}

/** Types into a command, whose input is a pipe. The two control characters do what they do on a terminal. */
async function type(chars: string, { connection: { stdin }, interrupt }: Typing): Promise<void> {
  for (const piece of chars.split(new RegExp(`([${INTERRUPT}${END_OF_INPUT}])`))) {
    if (piece === '') continue;
    if (piece === INTERRUPT) await interrupt();
    else if (stdin === null || !stdin.writable) throw inputClosed();
    else if (piece === END_OF_INPUT) stdin.end();
    else stdin.write(piece);
  }
}
