import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { startChatServer } from './chat-server.mjs';

const run = promisify(execFile);
const OXBOW = join(import.meta.dirname, '../../../../bin/oxbow');
const MCP_SERVER = join(import.meta.dirname, 'mcp-server.mjs');
const MODEL = 'check-model';

/**
 * Starts a server of one kind, the gateway in front of it, and a Codex that uses the gateway as the gateway advises.
 */
export async function openScene(codex, kind) {
  const folder = mkdtempSync(join(tmpdir(), 'oxbow-codex-'));
  const folders = { home: join(folder, 'home'), codexHome: join(folder, 'codex'), work: join(folder, 'work') };
  for (const path of Object.values(folders)) mkdirSync(path);
  const env = {
    PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: folders.home,
    OXBOW_HOME: folders.home,
    CODEX_HOME: folders.codexHome,
    LANG: 'C.UTF-8',
  };
  const server = await startChatServer(kind);
  const gateway = await startGateway(server.url, env);
  const lines = await linesForCodex(server.url, gateway.port, env);
  writeFileSync(join(folders.codexHome, 'models.json'), await catalogue(codex, env));
  writeFileSync(join(folders.codexHome, 'config.toml'), codexConfig(lines, folders.codexHome));
  return {
    server,
    gateway,
    runCodex: (args) => runCodex(codex, args, { env, cwd: folders.work }),
    file: (name) => readFile(join(folders.work, name)),
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
      if (event.type === 'gateway.started') resolve(Number(new URL(event.url).port));
    });
    ended.then(
      async () => reject(new Error(`The gateway ended before it listened. Is it built?\n${await said}`)),
      reject,
    );
  });
  const port = await started;
  return {
    port,
    exchanges: () => events.filter(({ type }) => type === 'gateway.exchange'),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function linesForCodex(url, port, env) {
  const args = ['gateway', '--upstream', url, '-m', MODEL, '--port', String(port), '--for', 'codex'];
  const { stdout } = await run(process.execPath, [OXBOW, ...args], { env });
  return stdout;
}

/**
 * Returns a catalogue with an entry for our model. Codex offers its patch tool only to models of its catalogue: see
 * docs/gateway.md.
 */
async function catalogue(codex, env) {
  const { stdout } = await run(codex, ['debug', 'models', '--bundled'], { env, maxBuffer: 64 * 1024 * 1024 });
  const { models } = JSON.parse(stdout);
  const known = models.find(({ slug }) => slug === 'gpt-5.5');
  if (known === undefined) throw new Error('The catalogue of this Codex has no gpt-5.5 to begin with.');
  const entry = { ...known, slug: MODEL, display_name: MODEL, supports_search_tool: false, support_verbosity: false };
  return JSON.stringify({ models: [entry] });
}

/** Returns Codex's config: the catalogue, the lines that the gateway prints, word for word, and the MCP server. */
function codexConfig(lines, codexHome) {
  const quoted = (value) => JSON.stringify(value);
  return [
    `model_catalog_json = ${quoted(join(codexHome, 'models.json'))}`,
    lines,
    '[mcp_servers.echoes]',
    `command = ${quoted(process.execPath)}`,
    `args = [${quoted(MCP_SERVER)}]`,
    '',
  ].join('\n');
}

async function runCodex(codex, args, { env, cwd }) {
  const flags = ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-C', cwd];
  const child = spawn(codex, [...flags, ...args], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });
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
