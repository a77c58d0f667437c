import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';

/** A small program with a failing test, and a home of its own for the agent. */
export interface ScratchProject {
  /** Folder that holds everything. */
  readonly root: string;
  readonly home: string;
  /** Folder of the program and its test. */
  readonly folder: string;
  /** Deletes everything at once. */
  dispose(): void;
}

const BROKEN = `export function fizz(n) {
  if (n % 3 === 0) return 'Fizz';
  if (n % 5 === 0) return 'Buzz';
  if (n % 15 === 0) return 'FizzBuzz';
  return String(n);
}
`;

const TEST = `import { fizz } from './fizz.mjs';

for (const [n, right] of [[1, '1'], [3, 'Fizz'], [5, 'Buzz'], [15, 'FizzBuzz']]) {
  const got = fizz(n);
  if (got !== right) process.exitCode = 1;
  console.log(got === right ? \`ok      fizz(\${n}) is \${got}\` : \`not ok  fizz(\${n}) is \${got}, should be \${right}\`);
}
`;

/** Makes the project in the temporary folder. It is deleted when the process ends, unless it is kept. */
export function createScratchProject({ keep }: { keep: boolean }): ScratchProject {
  const root = makeRoot();
  const dispose = () => {
    process.off('exit', dispose);
    if (!keep) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  };
  process.on('exit', dispose);
  const folder = join(root, 'fizz');
  const home = join(root, 'home');
  for (const path of [folder, home]) mkdirSync(path);
  writeFileSync(join(folder, 'fizz.mjs'), BROKEN);
  writeFileSync(join(folder, 'fizz.test.mjs'), TEST);
  return { root, home, folder, dispose };
}

function makeRoot(): string {
  try {
    return realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-demo-')));
  } catch (error) {
    throw new UserError(
      'storage',
      `The demo found no folder to work in: ${fileFault(error)}. Set TMPDIR to a writable folder.`,
    );
  }
}
