import { execFile } from 'node:child_process';

const TIMEOUT_MS = 5000;
const LONGEST = 200;

/** Returns the first line that a program prints about its version; undefined when it prints nothing in time. */
export function programVersion(
  program: string | undefined,
  question: readonly string[],
  path: string,
): Promise<string | undefined> {
  if (program === undefined) return Promise.resolve(undefined);
  const options = { timeout: TIMEOUT_MS, killSignal: 'SIGKILL', env: { PATH: path }, cwd: '/' } as const;
  return new Promise((resolve) => {
    execFile(program, [...question], options, (error, stdout) => {
      const [line = ''] = stdout.trim().split('\n');
      resolve(error || line === '' ? undefined : line.slice(0, LONGEST));
    });
  });
}
