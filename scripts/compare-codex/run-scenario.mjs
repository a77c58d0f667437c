import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { stringify } from 'smol-toml';
import { createWorkspace, startScriptedModel } from '../../dist/testing.js';

/** Time after which a program is killed. */
const TIMEOUT_MS = 30_000;

/** Settings for Codex alone: it would look for updates, plugins and skills. */
const CODEX_SETTINGS = {
  check_for_update_on_startup: false,
  analytics: { enabled: false },
  features: { plugins: false, apps: false },
};

/**
 * Runs one program through a scenario, in folders of its own and with a scripted model of its own. Returns what the
 * program printed in its last run, how it ended, the files that it left, and the requests of all runs.
 */
export async function runScenario(scenario, program) {
  const workspace = createWorkspace(scenario.files);
  const model = await startScriptedModel(scenario.script ?? []);
  const folders = { workspace: workspace.path, home: workspace.home, temporary: join(dirname(workspace.home), 'tmp') };
  mkdirSync(folders.temporary);
  try {
    if (scenario.git) makeCommits(workspace);
    writeFileSync(join(workspace.home, 'config.toml'), configOf(scenario, program, model.url));
    for (const [name, content] of Object.entries(scenario.homeFiles ?? {}))
      writeFileSync(join(workspace.home, name), content);
    let last;
    let thread;
    for (const step of [...(scenario.before ?? []), scenario]) {
      last = await runStep(
        { ...step, args: fill(step.args, { thread, url: model.url, ...folders }) },
        program,
        folders,
      );
      thread ??= /"thread_id":"([^"]+)"/.exec(last.stdout)?.[1];
    }
    return {
      ...last,
      thread,
      folders,
      url: model.url,
      requests: model.requests.map(readRequest),
      files: filesIn(workspace.path),
    };
  } finally {
    await model.close();
    workspace.dispose();
  }
}

function fill(args, values) {
  return args.map((arg) => arg.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole));
}

function configOf({ config = {}, provider = {}, rawConfig }, { isCodex }, url) {
  const scripted = {
    name: 'Scripted',
    base_url: url,
    wire_api: 'responses',
    env_key: 'SCRIPTED_KEY',
    request_max_retries: 0,
    stream_max_retries: 0,
    ...provider,
  };
  const settings = {
    model: 'gpt-5.5',
    model_provider: 'scripted',
    model_reasoning_effort: 'medium',
    sandbox_mode: 'danger-full-access',
    ...(isCodex && CODEX_SETTINGS),
    ...config,
    model_providers: { scripted },
  };
  return `${rawConfig ?? ''}\n${stringify(settings)}`;
}

async function runStep(
  { args, stdin, signal, timeoutMs = TIMEOUT_MS, env = {} },
  { command },
  { workspace, home, temporary },
) {
  const child = spawn(command, args, {
    cwd: workspace,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    env: {
      PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
      HOME: home,
      OXBOW_HOME: home,
      CODEX_HOME: home,
      TMPDIR: temporary,
      LANG: 'C.UTF-8',
      SCRIPTED_KEY: 'k',
      ...env,
    },
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  if (stdin !== undefined) child.stdin.on('error', () => {}).end(stdin);
  if (signal) sendAfter(child, signal);
  const ended = new Promise((resolve, reject) => child.once('error', reject).once('close', (...end) => resolve(end)));
  const [stdout, stderr, [code, killedBy]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  clearTimeout(timer);
  return { stdout, stderr, code: killedBy === 'SIGKILL' ? 'no end' : (code ?? killedBy) };
}

/** Signals the program once a text was printed. */
function sendAfter(child, { name, after }) {
  let printed = '';
  child.stdout.on('data', (chunk) => {
    if (printed.includes(after)) return;
    printed += chunk;
    if (printed.includes(after)) setTimeout(() => child.kill(name), SETTLE_MS);
  });
}

/** Time in which a command that was reported as started really starts. */
const SETTLE_MS = 300;

/** Returns the parts of a request on which flags and settings have an effect. */
function readRequest({ body }) {
  const parts = (body.input ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const lastUser = (body.input ?? []).findLast(
    ({ type, role }) => (type ?? 'message') === 'message' && role === 'user',
  );
  const typed = (lastUser?.content ?? []).filter((part) => part.type === 'input_text').map((part) => part.text);
  return {
    model: body.model,
    effort: body.reasoning?.effort,
    format: body.text?.format,
    tier: body.service_tier,
    images: parts.filter(({ type }) => type === 'input_image').length,
    typed: typed.join('\n'),
  };
}

/** Makes a repository with two commits, a branch and an uncommitted change. */
function makeCommits({ path, write }) {
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: path, stdio: 'pipe' });
  write('a.txt', 'one\n');
  git('add', '.');
  git('commit', '-qm', 'first');
  git('branch', 'base');
  write('a.txt', 'two\n');
  git('commit', '-qam', 'second');
  write('a.txt', 'three\n');
}

/** Returns the files of the workspace, as name → content. */
function filesIn(folder) {
  const root = realpathSync(folder);
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !relative(root, path).startsWith('.git/'));
  return Object.fromEntries(
    names
      .sort()
      .map((path) => [relative(root, path), statSync(path).size > 2000 ? '(long)' : readFileSync(path, 'utf8')]),
  );
}
