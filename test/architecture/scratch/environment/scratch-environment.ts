import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../../../src/base/environment.ts';
import { testEnvironment } from '../../../../src/exec/environment/test-environment.ts';

/** Returns the local machine as an environment that knows its asker. */
export function createScratchEnvironment(asker: string): Environment {
  const local = testEnvironment();
  return {
    ...local,
    open: (action, options) =>
      local.open({ ...action, argv: ['/usr/bin/env', `ASKER=${asker}`, ...action.argv] }, options),
  };
}

/** Returns the environment for the suite of environments. */
export function scratchEnvironment() {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-scratch-')));
  return {
    environment: createScratchEnvironment('the suite'),
    cwd,
    terminals: true,
    close: () => rmSync(cwd, { recursive: true, force: true }),
  };
}
