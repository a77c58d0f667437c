import { chownSync, cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ProgramResult, startProgram } from '../../harness/start-program.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const SETPRIV = '/usr/bin/setpriv';

/** An id that usually no account of a machine has. */
const ID = 1999;

export interface OrdinaryUser {
  readonly folder: string;
  /** Runs the real program as this user. */
  oxbow(args: readonly string[]): Promise<ProgramResult>;
  dispose(): void;
}

/** Whether programs can be run as another user here. */
export const canBecomeOrdinary = process.getuid?.() === 0 && existsSync(SETPRIV);

/** Creates a user without any rights, with a folder and a copy of the program: it may not read ours. */
export function createOrdinaryUser(): OrdinaryUser {
  const folder = mkdtempSync(join(tmpdir(), 'oxbow-user-'));
  for (const part of ['bin', 'dist/program'])
    cpSync(join(ROOT, part), join(folder, 'program', part), { recursive: true });
  writeFileSync(join(folder, 'program/package.json'), '{}');
  chownSync(folder, ID, ID);
  const become = ['--reuid', String(ID), '--regid', String(ID), '--clear-groups', '--no-new-privs'];
  return {
    folder,
    async oxbow(args) {
      const program = join(folder, 'program/bin/oxbow');
      const running = await startProgram({
        command: SETPRIV,
        args: [...become, process.execPath, program, ...args],
        cwd: folder,
        env: { PATH: '/usr/bin:/bin', HOME: folder, OXBOW_HOME: folder },
      });
      return running.wait();
    },
    dispose: () => rmSync(folder, { recursive: true }),
  };
}
