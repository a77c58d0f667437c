import { execFile } from 'node:child_process';

const TIMEOUT_MS = 5000;
const LONGEST = 200;

/** What a program says when it is asked for its version; undefined when it is not there or says nothing in time. */
export function programVersion(
  program: string,
  question: readonly string[],
  path: string,
): Promise<string | undefined> {
  const options = { timeout: TIMEOUT_MS, killSignal: 'SIGKILL', env: { PATH: path }, cwd: '/' } as const;
  return new Promise((resolve) => {
    execFile(program, [...question], options, (error, stdout) => {
      const [line = ''] = stdout.trim().split('\n');
      resolve(error || line === '' ? undefined : line.slice(0, LONGEST));
    });
  });
}
