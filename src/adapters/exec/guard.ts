import { within } from '../../exec/process/within.ts';
import type { Exec } from './exec-process.ts';
import { type FarProcess, startScript } from './start-script.ts';

/** A guard ends processes on the far side. Each command carries a mark in a variable, which its children inherit. */
export interface FarGuard {
  /** Starts the guard in the background, if it does not run. */
  start(): void;
  /** Sends a signal to every process with a mark. After `KILL` no such process is left when the promise resolves. */
  signal(name: 'INT' | 'KILL', mark: string): Promise<void>;
  /** Ends every process of the environment. */
  close(): Promise<void>;
}

/** Longest wait for an answer from the far side. */
export const ANSWER_MS = 5000;

/** Variable of a command that holds its mark. */
export const MARK_VARIABLE = 'OXBOW_COMMAND';

/**
 * Reads orders, one a line. The end of the input is the last one: it comes too when our process dies, however it dies.
 * A killed process is visible for a moment longer, hence the rounds.
 */
const GUARD_SCRIPT = `own=$1
send() {
  found=
  for file in $(grep -ls "${MARK_VARIABLE}=$2" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/}
    kill -s "$1" "\${pid%/environ}" 2>/dev/null && found=yes
  done
}
finish() {
  round=0
  while [ $round -lt 100 ] && send KILL "$1" && [ "$found" ]; do round=$((round + 1)); done
}
while read -r name mark; do
  if [ "$name" = KILL ]; then finish "$mark"; else send "$name" "$mark"; fi
  echo
done
finish "$own"`;

interface RunningFarGuard extends FarProcess {
  readonly ended: Promise<void>;
}

/** Creates the guard of an environment, whose marks all begin with `own`. */
export function createGuard(exec: Exec, own: string): FarGuard {
  const answers: (() => void)[] = [];
  let running: Promise<RunningFarGuard> | undefined;
  let wanted = false;

  async function begin(): Promise<RunningFarGuard> {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const process = await startScript(
      exec,
      { script: GUARD_SCRIPT, args: [own] },
      {
        // An answer is a newline.
        data(bytes) {
          for (const _ of bytes) answers.shift()?.();
        },
        exited() {
          running = undefined;
          for (const answer of answers.splice(0)) answer();
          end();
        },
        closed: () => undefined,
      },
    );
    return { ...process, ended };
  }

  function start(): Promise<RunningFarGuard> {
    wanted = true;
    running ??= begin().catch((error: unknown) => {
      running = undefined;
      throw error;
    });
    return running;
  }

  return {
    start: () => void start().catch(() => undefined),
    async signal(name, mark) {
      const { connection } = await start();
      await within(
        ANSWER_MS,
        new Promise<void>((resolve) => {
          answers.push(resolve);
          connection.stdin?.write(`${name} ${mark}\n`);
        }),
      );
    },
    async close() {
      if (!wanted) return;
      wanted = false;
      const { connection, ended } = await start();
      connection.stdin?.end();
      await within(ANSWER_MS, ended);
      connection.kill('SIGKILL');
    },
  };
}
