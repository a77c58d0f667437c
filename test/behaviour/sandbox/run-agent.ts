import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type { Job, Report } from './agent.ts';

/** A user that the agent runs as. */
export interface Person {
  readonly name: string;
  readonly id: number;
}

const OTHER_ID = 1999;
const own = process.getuid?.() ?? -1;

/** Root and an ordinary user when the tests run as root, else the current user. */
export const PEOPLE: readonly Person[] =
  own === 0
    ? [
        { name: 'root', id: 0 },
        { name: 'an ordinary user', id: OTHER_ID },
      ]
    : [{ name: 'an ordinary user', id: own }];

/** Programs that some tests need. */
export const COMPILER = 'cc';
export const PERL = 'perl';

export const PATH = '/usr/local/bin:/usr/bin:/bin';

/** The built agent, and folders that belong to a user, for one file of tests. */
export interface Ground<J = Job, R = Report> {
  readonly path: string;
  /** Makes a folder for a person. */
  folder(person: Person, ...names: string[]): string;
  /** Runs the agent to its end. */
  run(person: Person, job: J, options?: RunOptions): Promise<R>;
  /** Starts the agent and returns its first line. */
  start(person: Person, job: J): Promise<{ child: ChildProcess; report: R }>;
  dispose(): void;
}

export interface RunOptions {
  /** A folder that the agent inherits as descriptor 40, as a careless program would leave it open. */
  readonly leak?: string;
}

/** Builds an agent. Without a file it is the one that runs a command. */
export function createGround<J = Job, R = Report>(file = 'agent.ts'): Ground<J, R> {
  // Not below /tmp, which some policies make writable.
  const path = realpathSync(mkdtempSync('/var/tmp/oxbow-sandbox-'));
  chmodSync(path, 0o755);
  const agent = join(path, 'agent.mjs');
  buildSync({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    outfile: agent,
    external: ['@lydell/node-pty'],
  });
  // In a folder that every user can read.
  cpSync(fileURLToPath(new URL('../../../node_modules/@lydell', import.meta.url)), join(path, 'node_modules/@lydell'), {
    recursive: true,
  });

  function spawnAgent(person: Person, job: J, { leak }: RunOptions = {}): ChildProcess {
    const words = [...asPerson(person), process.execPath, agent, JSON.stringify(job)];
    const shell = leak === undefined ? [] : ['/bin/bash', '-c', 'exec 40<"$0"; exec "$@"', leak];
    const [program = '', ...args] = [...shell, ...words];
    // In a session of its own, as a terminal would start it.
    return spawn(program, args, {
      cwd: '/',
      env: { PATH, AGENT_SECRET: 'tell-no-one' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  }

  return {
    path,
    folder(person, ...names) {
      const folder = join(path, ...names);
      mkdirSync(folder, { recursive: true });
      giveTo(person, folder, path);
      return folder;
    },
    async run(person, job, options) {
      const child = spawnAgent(person, job, options);
      const [report] = await Promise.all([firstLine<R>(child), new Promise((resolve) => child.once('close', resolve))]);
      return report;
    },
    async start(person, job) {
      const child = spawnAgent(person, job);
      return { child, report: await firstLine<R>(child) };
    },
    dispose: () => rmSync(path, { recursive: true, force: true }),
  };
}

function giveTo({ id }: Person, folder: string, end: string): void {
  if (own !== 0) return;
  for (let path = folder; path !== end; path = dirname(path)) chownSync(path, id, id);
}

function asPerson({ id }: Person): string[] {
  if (id === own) return [];
  return ['setpriv', '--reuid', String(id), '--regid', String(id), '--clear-groups'];
}

function firstLine<R>(child: ChildProcess): Promise<R> {
  return new Promise((resolve, reject) => {
    let printed = '';
    let complaint = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint += text;
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const end = printed.indexOf('\n');
      if (end >= 0) resolve(JSON.parse(printed.slice(0, end)));
    });
    child.once('close', (code) => reject(new Error(`the agent ended with ${code}: ${complaint}`)));
  });
}

/** Reports whether a program can be run here. */
export function hasProgram(name: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', `command -v ${name}`], { env: { PATH }, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
