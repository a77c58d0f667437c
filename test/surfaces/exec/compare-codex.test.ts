import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { CODEX } from '../../harness/run-codex.ts';
import { PROGRAM } from '../../harness/run-oxbow.ts';

const SCRIPT = fileURLToPath(new URL('../../../scripts/compare-codex.mjs', import.meta.url));
const run = promisify(execFile);
const part = (name: string) => import(pathToFileURL(SCRIPT.replace('.mjs', `/${name}.mjs`)).href);

const { compareRuns } = await part('compare-runs');
const { normalise } = await part('normalise');
const { unexplained, writePage } = await part('write-tables');
const { JSON_SCENARIOS } = await part('json-scenarios');
const { FLAG_SCENARIOS } = await part('flag-scenarios');

const ID = '01a1e5ac-90b0-7310-8fbf-192ebd433d06';

/** Returns a run as a program leaves it, in folders of its own. */
function made(folder: string, events: readonly object[], more: object = {}) {
  const stdout = events.map((event) => `${JSON.stringify(event)}\n`).join('');
  const folders = { workspace: `/${folder}/w`, home: `/${folder}/h`, temporary: `/${folder}/t` };
  return {
    stdout,
    stderr: '',
    code: 0,
    thread: ID,
    folders,
    url: 'http://127.0.0.1:1/v1',
    requests: [],
    files: {},
    ...more,
  };
}

const item = (id: number, fields: object) => ({ type: 'item.completed', item: { id: `item_${id}`, ...fields } });
const compare = (codex: object, oxbow: object, scenario: object = { kind: 'json' }) =>
  compareRuns(normalise(codex, scenario), normalise(oxbow, scenario));

test('runs that differ only in ids, folders, times and the name of the program are the same', () => {
  const said = (name: string, folder: string) =>
    item(0, { type: 'error', message: `${name} at 10:32, /${folder}/w/a` });
  const log = `2026-11-16T18:00:00.1Z ERROR codex_core: no\nmore\n`;
  const codex = made('a', [{ type: 'thread.started', thread_id: ID }, said('Codex', 'a')], { stderr: log });
  expect(compare(codex, made('b', [{ type: 'thread.started', thread_id: ID }, said('Oxbow', 'b')]))).toEqual([]);
});

test('a message may go on after the words of Codex, and other fields may not', () => {
  const failed = (message: string, text: string) =>
    made('a', [{ type: 'error', message }, item(0, { type: 'x', text })]);
  expect(compare(failed('no luck.', 'same'), failed('no luck, try again', 'same'))).toEqual([]);
  expect(compare(failed('no luck', 'same'), failed('bad luck', 'same, and more'))).toEqual([
    { place: 'error message', codex: 'no luck', oxbow: 'bad luck' },
    { place: 'item.completed x item.text', codex: 'same', oxbow: 'same, and more' },
  ]);
});

test('an event that one program lacks is named, and the events around it are still compared', () => {
  const first = item(0, { type: 'x', n: 1 });
  const last = { type: 'turn.completed', n: 2 };
  const between = item(1, { type: 'y' });
  expect(compare(made('a', [first, last]), made('a', [first, between, { ...last, n: 3 }]))).toEqual([
    { place: 'event item.completed y', oxbow: JSON.stringify(between) },
    { place: 'turn.completed n', codex: '2', oxbow: '3' },
  ]);
});

test('exit codes, requests, files and labels are compared, and a signal is the code of a shell', () => {
  const codex = made('a', [], {
    code: 'SIGTERM',
    requests: [{ model: 'a' }],
    stderr: 'session id: x\n',
    files: { f: '1' },
  });
  const oxbow = made('a', [], { code: 143, requests: [{ model: 'b' }], files: { f: '2' } });
  expect(compare(codex, oxbow, { kind: 'flags' })).toEqual([
    { place: 'labels', codex: 'session id' },
    { place: 'stderr', codex: 'session id: x', oxbow: '' },
    { place: 'request model', codex: 'a', oxbow: 'b' },
    { place: 'file f', codex: '1', oxbow: '2' },
  ]);
});

test('the page names each scenario, and a difference without a reason is found', () => {
  const scenario = { kind: 'json', name: 'a | b' };
  const known = { place: 'item.started command_execution item.command', codex: 'x -lc y', oxbow: 'x -c y' };
  const unknown = { place: 'turn.completed usage.input_tokens', codex: '1', oxbow: '2' };
  const results = [
    { scenario, differences: [known, unknown], code: 0 },
    { scenario: { kind: 'flags', name: 'exec (more)' }, differences: [], code: 2 },
  ];
  expect(unexplained(results)).toEqual([{ scenario, difference: unknown }]);
  const page = writePage('before\n<!-- compared -->\nold\n<!-- end -->\nafter\n', results, 'Codex 1');
  expect(page).toMatch(/^before\n<!-- compared -->\n\nCodex 1 and Oxbow ran 1 scenarios .*\n1 of these 2 have/);
  expect(page).toContain('| 1 | item.started command_execution item.command | `x -lc y` | `x -c y` | Commands run');
  expect(page).toContain(
    '| a \\| b | 1: item.started command_execution command; ?: turn.completed usage.input_tokens |',
  );
  expect(page).toContain('| `oxbow exec` (more) | 2 | none |');
  expect(page).toMatch(/<!-- end -->\nafter\n$/);
});

test('there are enough scenarios, and docs/codex.md has all of them with a reason for each difference', () => {
  expect(JSON_SCENARIOS.length).toBeGreaterThanOrEqual(40);
  expect(FLAG_SCENARIOS.length).toBeGreaterThanOrEqual(30);
  const names: string[] = [...JSON_SCENARIOS, ...FLAG_SCENARIOS].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const page = readFileSync(new URL('../../../docs/codex.md', import.meta.url), 'utf8');
  const rows = page.split('\n').map((line) => line.split(' | ')[0]);
  const written = (name: string) => name.replace(/^(\S.*?)( \(.*\))?$/, '`oxbow $1`$2');
  expect(names.filter((name) => ![name, written(name)].some((text) => rows.includes(`| ${text}`)))).toEqual([]);
  expect(page).not.toContain('?: ');
});

test('Oxbow compared with itself has no differences', async () => {
  const only = '^(a command|a plan|status 400|a resumed thread|exec -s everything hello|exec --help|exec hello)$';
  const { stdout } = await run(process.execPath, [SCRIPT, '--only', only], {
    env: { ...process.env, OXBOW_CODEX: PROGRAM },
  });
  expect(stdout.trim().split('\n').sort()).toEqual([
    ...[
      'a command',
      'a plan',
      'a resumed thread',
      'exec --help',
      'exec -s everything hello',
      'exec hello',
      'status 400',
    ],
  ]);
});

test('without Codex the script says what it needs', async () => {
  const ended = run(process.execPath, [SCRIPT], { env: { ...process.env, OXBOW_CODEX: '' } });
  await expect(ended).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('Set OXBOW_CODEX') });
});

// Most machines do not have Codex. Without it no test counts as skipped.
if (CODEX) {
  test('docs/codex.md is what both programs do', { timeout: 400_000 }, async () => {
    await run(process.execPath, [SCRIPT, '--check']);
  });
}
