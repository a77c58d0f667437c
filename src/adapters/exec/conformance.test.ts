import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { isFull, sampled } from '../../../test/harness/runs.ts';
import { describeOverSsh } from '../../../test/harness/sshd.ts';
import { environmentConformance } from '../../testing/environment/conformance.ts';
import { environmentFromExec } from './environment-from-exec.ts';
import type { Exec } from './exec-process.ts';

function under(exec: Exec) {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-far-')));
  const close = () => rmSync(cwd, { recursive: true, force: true });
  return { environment: environmentFromExec({ exec })({ cwd }), cwd, terminals: true, close };
}

const SHELLS: Readonly<Record<string, Exec>> = {
  'the shell of this machine': ([program = '', ...args]) => spawn(program, args),
  'bash as the shell': ([, ...args]) => spawn('bash', ['--posix', ...args]),
};

// The suite takes long, and the shell that /bin/sh stands for is stricter.
const tested = Object.entries(SHELLS).slice(0, isFull() ? 2 : 1);

describe.each(tested)('%s', (_, exec) => {
  for (const { name, run } of environmentConformance(() => under(exec))) test(name, run);
});

describeOverSsh((exec) => {
  // The same cases have run in a shell of this machine. Over ssh each starts a connection, which takes long.
  for (const { name, run } of sampled(
    environmentConformance(() => under(exec)),
    15,
  ))
    test(name, run, 60_000);
});
