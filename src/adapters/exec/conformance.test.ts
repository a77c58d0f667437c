import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
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
const tested = Object.entries(SHELLS).slice(0, process.env.OXBOW_TEST_RUNS === 'full' ? 2 : 1);

describe.each(tested)('%s', (_, exec) => {
  for (const { name, run } of environmentConformance(() => under(exec))) test(name, run);
});

describeOverSsh((exec) => {
  for (const { name, run } of environmentConformance(() => under(exec))) test(name, run, 60_000);
});
