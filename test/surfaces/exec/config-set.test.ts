import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorkspace, type TempWorkspace } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';

let workspace: TempWorkspace;
beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(() => workspace.dispose());

const config = (...args: string[]) => runOxbow(['config', ...args], { workspace });
const file = () => join(workspace.home, 'config.toml');

test('set writes a value and keeps the comments, and get prints it', async () => {
  workspace.configure('# mine\nmodel = "a" # for now\n\n[tools.update_plan]\nenabled = true # why not\n');
  const done = await config('set', 'model', 'gpt b');
  expect(done).toMatchObject({ code: 0, stdout: '', stderr: `model is set in ${file()}.\n` });
  expect((await config('set', 'tools.update_plan.enabled', 'false')).code).toBe(0);
  expect(readFileSync(file(), 'utf8')).toBe(
    '# mine\nmodel = "gpt b" # for now\n\n[tools.update_plan]\nenabled = false # why not\n',
  );
  expect((await config('get', 'model')).stdout).toBe('gpt b\n');
  expect((await config('get', 'model', '--json')).stdout).toBe('"gpt b"\n');
  expect((await config('get', 'tools.update_plan.enabled')).stdout).toBe('false\n');
  expect(readdirSync(workspace.home).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('set makes the file, for the user alone', async () => {
  expect((await config('set', 'sandbox_mode', 'workspace-write')).code).toBe(0);
  expect(readFileSync(file(), 'utf8')).toBe('sandbox_mode = "workspace-write"\n');
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test('wrong keys and values change nothing', async () => {
  workspace.configure('model = "a"\n');
  const rows: [string[], number, string][] = [
    [['set', 'modle', 'x'], 1, 'There is no setting modle (did you mean model?). oxbow config lists all settings.'],
    [['get', 'modle'], 1, 'There is no setting modle (did you mean model?).'],
    [['set', 'sandbox_mode', 'off'], 1, 'not "off" (oxbow config set sandbox_mode).'],
    [['set', 'model'], 2, 'oxbow config set takes KEY and VALUE'],
    [['get'], 2, 'oxbow config get takes KEY'],
    [['gte', 'model'], 2, 'Unexpected "gte". Did you mean get?'],
    [['get', 'profile'], 1, 'profile is not set.'],
  ];
  for (const [args, code, message] of rows) {
    const result = await config(...args);
    expect(result.stderr).toContain(message);
    expect(result.code).toBe(code);
  }
  expect(readFileSync(file(), 'utf8')).toBe('model = "a"\n');
});
