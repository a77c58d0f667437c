// Draws docs/terminal-*.svg: screens of the real program in a terminal, with a scripted model. Commands and patches are real.
// Usage: npm run terminal:pictures [-- --check]
// Times, ids and ages differ from run to run, so they are drawn as the same ones each time. With --check nothing is written,
// and the exit code is 1 if a picture is not the one that is there.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startScriptedModel } from '../dist/testing.js';
import { drawScreen } from './draw/draw-screen.mjs';
import { openScreen, textOf } from './draw/open-screen.mjs';
import { FILES, script } from './draw/terminal-script.mjs';
import { writePicture } from './draw/write-picture.mjs';

const PROGRAM = new URL('../bin/oxbow', import.meta.url).pathname;
const COLUMNS = 88;
const ROWS = 36;

const model = await startScriptedModel(script);
const root = mkdtempSync(join(tmpdir(), 'oxbow-pictures-'));
const project = join(root, 'home', 'greet');
try {
  makeProject();
  await drawTurn();
  await drawQuestion();
} finally {
  await model.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}

/** Draws a turn with a plan, commands and a patch, then the screens that begin from it. */
async function drawTurn() {
  const screen = open(['fix the greeting of a guest without a name'], ROWS);
  await screen.shows(/Both tests pass/);
  await settle(screen);
  await draw(screen, 'turn', 'A turn: a plan, commands with their output, a patch as a diff, and the answer', {
    from: /^› fix the greeting/,
  });
  screen.type('/');
  await screen.shows(/go on with another thread/);
  await settle(screen);
  await draw(screen, 'commands', 'The list of slash commands while / is typed', { last: 12 });
  screen.type('\u0015');
  await settle(screen);
  screen.type('and say it in French too\r');
  await screen.shows(/Bonjour/);
  await settle(screen);
  screen.type('/rewind\r');
  await screen.shows(/Go back to before/);
  await screen.shows(/files? differs?/);
  screen.type('\u001b[B\r');
  await screen.shows(/Talk and files/);
  await settle(screen);
  await draw(screen, 'rewind', 'Going back: the files that would change, and three ways', { last: 14 });
  screen.type('\u001b');
  await settle(screen);
  screen.type('\u0014');
  await screen.shows(/c copy/);
  screen.type('/guest\r');
  await settle(screen);
  await draw(screen, 'pager', 'The pager with the whole thread, after a search', { hasCaret: false });
  screen.end();
  await screen.ended;
}

/** Draws a question about a command with characters that hide. */
async function drawQuestion() {
  const screen = open(['-a', 'untrusted', 'clean up the build folder'], 24);
  await screen.shows(/back to typing/);
  await settle(screen);
  await draw(screen, 'question', 'A question about a command: every character that hides is written out', { last: 14 });
  screen.end();
  await screen.ended;
}

/** Waits until the screen has not changed for a while. Nothing reports the last frame. */
async function settle(screen) {
  for (let before = '', same = 0; same < 8; await delay(80)) {
    const now = JSON.stringify(await screen.read());
    same = now === before ? same + 1 : 0;
    before = now;
  }
}

function open(args, rows) {
  return openScreen({
    command: process.execPath,
    args: [PROGRAM, ...args],
    columns: COLUMNS,
    rows,
    cwd: project,
    env: {
      PATH: process.env.PATH,
      HOME: join(root, 'home'),
      OXBOW_HOME: join(root, 'oxbow'),
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      SCRIPTED_KEY: 'none',
    },
  });
}

async function draw(screen, name, title, { from, last, hasCaret = true }) {
  const { rows, caret } = await screen.read(from === undefined ? 'screen' : 'all');
  const begin = from === undefined ? 0 : rows.findIndex((runs) => from.test(textOf(runs)));
  const least = last === undefined ? begin : Math.max(0, rows.length - last);
  const first = rows.findIndex((runs, row) => row >= least && runs.length > 0);
  const picture = drawScreen({
    name: 'oxbow',
    title,
    columns: COLUMNS,
    rows: rows.slice(first).map((runs) => runs.map(sameEachTime)),
    caret: hasCaret ? { ...caret, row: caret.row - first } : null,
  });
  writePicture(`terminal-${name}`, picture, { command: 'terminal:pictures' });
}

function sameEachTime(run) {
  const text = run.text.replace(/\d+\.\d+ ?s\b/g, '0.1s').replaceAll(join(root, 'home'), '/home/you');
  return { ...run, text, cells: run.cells - run.text.length + text.length };
}

function makeProject() {
  mkdirSync(project, { recursive: true });
  mkdirSync(join(root, 'oxbow'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(project, name), text);
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=you', '-c', 'user.email=you@example.com', ...args], { cwd: project });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'greet');
  writeFileSync(join(root, 'oxbow', 'config.toml'), config());
}

function config() {
  return `
model = "my-model"
model_provider = "scripted"
sandbox_mode = "workspace-write"
approval_policy = "on-request"
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
[model_providers.scripted]
name = "Scripted"
base_url = "${model.url}"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[models.my-model]
context_window = 272000
[projects."${project}"]
trust_level = "trusted"
`;
}
