import { execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Exec } from '../../src/adapters/index.ts';
import { quoteArgv } from '../../src/shell/quote.ts';

/** Declares tests that run programs over ssh to this machine. They are skipped where there is no server for ssh. */
export function describeOverSsh(declare: (exec: Exec) => void): void {
  const program = findSshd();
  describe.skipIf(program === undefined)('a server for ssh', () => {
    let server: Sshd;
    beforeAll(async () => {
      server = await startSshd(program ?? '');
    });
    afterAll(() => server.close());
    declare((argv) => server.exec(argv));
  });
}

/** A server for ssh on a loopback port, with keys of its own. */
interface Sshd {
  readonly exec: Exec;
  close(): void;
}

/** Returns the path of the server program, or undefined where it is not installed. */
function findSshd(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, 'sshd')).find(isProgram);
}

/** Starts a server as an ordinary process. */
async function startSshd(program: string): Promise<Sshd> {
  const folder = mkdtempSync(join(tmpdir(), 'oxbow-sshd-'));
  const at = (name: string) => join(folder, name);
  for (const name of ['host', 'key']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)]);
  }
  copyFileSync(at('key.pub'), at('authorized'));
  // As root the server wants this folder, which its package makes at boot.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const port = await freePort();
  writeFileSync(
    at('config'),
    `Port ${port}
ListenAddress 127.0.0.1
HostKey ${at('host')}
AuthorizedKeysFile ${at('authorized')}
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
MaxStartups 100
`,
  );
  const server = spawn(program, ['-D', '-e', '-f', at('config')], { stdio: 'ignore' });
  await until(() => answers(port));
  const options = ['IdentitiesOnly=yes', 'StrictHostKeyChecking=no', 'BatchMode=yes', 'LogLevel=ERROR'];
  const flags = [...options, `UserKnownHostsFile=${at('known')}`].flatMap((option) => ['-o', option]);
  const args = ['-F', 'none', '-i', at('key'), '-p', String(port), ...flags, `${userInfo().username}@127.0.0.1`];
  return {
    exec: (argv) => spawn('ssh', [...args, quoteArgv(argv)]),
    close() {
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.destroy());
    socket.once('error', () => resolve(false));
    socket.once('close', (failed) => resolve(!failed));
  });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; !(await condition()); attempt++) {
    if (attempt === 300) throw new Error('sshd does not listen');
    await delay(50);
  }
}
