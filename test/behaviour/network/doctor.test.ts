import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isRecord } from '../../../src/base/json-schema.ts';
import { PROMISES } from '../../../src/exec/environment/try-promises.ts';
import { createWorkspace, type TempWorkspace } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { startProgram } from '../../harness/start-program.ts';
import { canBecomeOrdinary, createOrdinaryUser } from './ordinary-user.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PROGRAM = join(ROOT, 'bin/oxbow');
const PROVIDER =
  'model = "m"\nmodel_provider = "s"\n[model_providers.s]\nname = "S"\nbase_url = "http://127.0.0.1:1/v1"\nenv_key = "MY_KEY"\n';

let workspace: TempWorkspace;
beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(() => workspace.dispose());

interface Row {
  readonly id: unknown;
  readonly status: unknown;
  readonly what: unknown;
  readonly fix: unknown;
}

function rowsOf(stdout: string): Map<unknown, Row> {
  const rows: unknown = JSON.parse(stdout);
  if (!Array.isArray(rows)) throw new Error('The rows are no array.');
  return new Map(
    rows.map((row: unknown) => {
      if (!isRecord(row)) throw new Error('A row is no object.');
      expect(Object.keys(row)).toEqual(['id', 'status', 'what', 'fix']);
      return [row.id, { id: row.id, status: row.status, what: row.what, fix: row.fix }];
    }),
  );
}

/** Returns the rows of doctor as data. */
async function doctor(args: readonly string[] = [], env: Record<string, string> = {}) {
  const program = await startProgram({
    command: process.execPath,
    args: [PROGRAM, 'doctor', '--json', ...args],
    cwd: workspace.path,
    env: {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: workspace.home,
      OXBOW_HOME: workspace.home,
      ...env,
    },
  });
  const { code, stdout } = await program.wait();
  return { code, rows: rowsOf(stdout) };
}

describe.skipIf(!existsSync('/usr/bin/bwrap') || !existsSync('/usr/bin/git'))('on a healthy machine', () => {
  const IDS =
    'runtime program home config provider key sandbox promises allowed_domains variables git bubblewrap perl terminals images terminal'.split(
      ' ',
    );

  test('every row is ok', async () => {
    workspace.configure(PROVIDER);
    const { code, rows } = await doctor([], { MY_KEY: 'secret' });
    expect([...rows.values()].filter(({ status }) => status !== 'ok')).toEqual([]);
    expect([...rows.keys()]).toEqual(IDS);
    expect(code).toBe(0);
    expect(rows.get('key')?.what).toBe('from MY_KEY');
    expect(rows.get('config')?.what).toBe(join(workspace.home, 'config.toml'));
    expect(rows.get('sandbox')?.what).toMatch(/^read-only\. Sandbox: bubblewrap( and Landlock)?\.$/);
  });

  test.skipIf(!canBecomeOrdinary)('an ordinary user has the same sandbox and network', async () => {
    const user = createOrdinaryUser();
    const { stdout } = await user.oxbow(['doctor', '--json']);
    user.dispose();
    const rows = rowsOf(stdout);
    expect([rows.get('sandbox')?.status, rows.get('allowed_domains')?.status]).toEqual(['ok', 'ok']);
  });

  test.each(['bubblewrap', 'landlock'])('the promises of docs/security.md hold under %s', async (backend) => {
    const setting = `sandbox_backend="${backend}"`;
    const { rows } = await doctor(['-c', setting]);
    expect(rows.get('promises')).toMatchObject({ status: 'ok', what: `tried, and all hold: ${PROMISES.join(', ')}` });
    if (!canBecomeOrdinary) return;
    const user = createOrdinaryUser();
    const { stdout } = await user.oxbow(['doctor', '--json', '-c', setting]);
    user.dispose();
    expect(rowsOf(stdout).get('promises')?.status).toBe('ok');
  });

  test('the page names every promise that is tried, and tests that exist', () => {
    const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
    const [, table = ''] = /^\| id \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(page) ?? [];
    const rows = table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
    expect(rows.flatMap(([, id = '']) => [...id.matchAll(/`(\w+)`/g)].map(([, name]) => name))).toEqual([...PROMISES]);
    const tests = rows.flatMap(([, , , cell = '']) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name));
    expect(tests.length).toBeGreaterThan(PROMISES.length);
    for (const name of tests) expect(existsSync(join(ROOT, `test/behaviour/sandbox/${name}.test.ts`)), name).toBe(true);
  });
});

test('a missing key fails, and its variable is named', async () => {
  workspace.configure(PROVIDER);
  const { code, rows } = await doctor();
  expect(code).toBe(1);
  expect(rows.get('key')).toEqual({
    id: 'key',
    status: 'fail',
    what: 'none for S: MY_KEY is not set',
    fix: 'export MY_KEY=…',
  });
});

test('an invalid setting fails, and everything else is still checked', async () => {
  workspace.configure('log_level = 5');
  const { code, rows } = await doctor();
  expect(code).toBe(1);
  expect(rows.get('config')).toMatchObject({
    status: 'fail',
    what: expect.stringContaining('log_level must be one of'),
  });
  expect(rows.get('runtime')?.status).toBe('ok');
});

test('settings that are ignored are a warning', async () => {
  workspace.configure(`${PROVIDER}typo = 1\n`);
  const { code, rows } = await doctor([], { MY_KEY: 'x' });
  expect(rows.get('config')).toMatchObject({ status: 'warn', what: expect.stringContaining('typo') });
  expect(code).toBe(0);
});

test('a home that is not writable fails', async () => {
  const { rows } = await doctor([], { OXBOW_HOME: '/proc/oxbow' });
  expect(rows.get('home')).toMatchObject({ status: 'fail', fix: expect.stringContaining('OXBOW_HOME') });
});

test('the output for people has no colours in a pipe, and the remedy below each failure', async () => {
  workspace.configure(PROVIDER);
  const { code, stdout } = await runOxbow(['doctor'], { workspace });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^ok {4}runtime {9}Node \d+/);
  expect(stdout).toMatch(/^fail {2}key .*MY_KEY is not set\n +→ export MY_KEY=…$/m);
  expect(stdout).not.toContain('\u001b');
});

test('the help has an example, and extra arguments are refused', async () => {
  const { code, stdout } = await runOxbow(['doctor', '--help'], { workspace });
  expect(code).toBe(0);
  expect(stdout).toContain('Example:\n  oxbow doctor');
  expect(await runOxbow(['doctor', 'me'], { workspace })).toMatchObject({ code: 2 });
});
