import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { startTaskServer } from './task-server.mjs';

export const OXBOW = join(import.meta.dirname, '../../../../bin/oxbow');
export const MCP_SERVER = join(import.meta.dirname, 'mcp-server.mjs');
export const MODEL = 'check-model';

/**
 * Starts a server of one kind and the gateway in front of it, in folders of their own. `makeTask` gets the folder in
 * which the program will work.
 */
export async function openScene(kind, makeTask) {
  const folder = mkdtempSync(join(tmpdir(), 'oxbow-check-'));
  const folders = { home: join(folder, 'home'), work: join(folder, 'work') };
  for (const path of Object.values(folders)) mkdirSync(path);
  const env = {
    PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: folders.home,
    OXBOW_HOME: folders.home,
    LANG: 'C.UTF-8',
  };
  const server = await startTaskServer(kind, makeTask(folders.work));
  const gateway = await startGateway(server.url, env);
  return {
    ...folders,
    env,
    server,
    gateway,
    write: (name, content) => writeFileSync(join(folders.work, name), content),
    read: (name) => readFile(join(folders.work, name)),
    async close() {
      await gateway.stop();
      await server.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Starts the gateway, which knows nothing of the server but its address. */
async function startGateway(url, env) {
  const args = ['gateway', '--upstream', url, '-m', MODEL, '--port', '0', '--json'];
  const child = spawn(process.execPath, [OXBOW, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = text(child.stderr);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const events = [];
  const started = new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const event = JSON.parse(line);
      events.push(event);
      if (event.type === 'gateway.started') resolve(event.url);
    });
    ended.then(
      async () => reject(new Error(`The gateway ended before it listened. Is it built?\n${await said}`)),
      reject,
    );
  });
  return {
    /** Address without a path. */
    url: await started,
    exchanges: () => events.filter(({ type }) => type === 'gateway.exchange'),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Runs a program to its end. Every line that it prints is an event in JSON. */
export async function runProgram(program, args, { env, cwd }) {
  const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (some) => {
      printed[name] += some;
    });
  }
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const events = printed.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { code, events, ...printed };
}

function readFile(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
