import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorkspace, type TempWorkspace } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { startProgram } from '../../harness/start-program.ts';

let workspace: TempWorkspace;
let userFile: string;
beforeEach(() => {
  workspace = createWorkspace();
  userFile = join(workspace.home, 'config.toml');
});
afterEach(() => workspace.dispose());

const config = (...args: string[]) => runOxbow(['config', ...args], { workspace });

/** Returns the line of a key, with its padding reduced. */
const lineOf = (stdout: string, key: string) =>
  stdout
    .split('\n')
    .find((line) => line.startsWith(`${key} = `))
    ?.replace(/ +# /, ' # ');

test('every setting is listed with its value and origin', async () => {
  workspace.configure(
    'model = "m"\nsandbox_workspace_write.writable_roots = ["/a", "/b"]\ntools.update_plan.enabled = false',
  );
  const { code, stdout, stderr } = await config('-c', 'model_reasoning_effort=high');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(lineOf(stdout, 'model')).toBe(`model = "m" # ${userFile}`);
  expect(lineOf(stdout, 'sandbox_workspace_write.writable_roots')).toBe(
    `sandbox_workspace_write.writable_roots = ["/a", "/b"] # ${userFile}`,
  );
  expect(lineOf(stdout, 'tools.update_plan')).toBe(`tools.update_plan = { enabled = false } # ${userFile}`);
  expect(lineOf(stdout, 'model_reasoning_effort')).toBe('model_reasoning_effort = "high" # -c model_reasoning_effort');
  expect(lineOf(stdout, 'sandbox_mode')).toBe('sandbox_mode = "read-only" # default');
  expect(lineOf(stdout, 'model_verbosity')).toBe('model_verbosity = not set # default');
  const [first, ...lines] = stdout.trimEnd().split('\n');
  expect(first).toMatch(/^# home: \S+ \(OXBOW_HOME\)$/);
  expect(Math.min(...lines.map((line) => line.indexOf('  # ')))).toBeGreaterThan(0);
  expect(new Set(lines.map((line) => line.indexOf('# '))).size).toBe(1);
});

test('--json prints an array', async () => {
  workspace.configure('model = "m"');
  // The harness reads --json as JSON lines, which this output is not.
  const program = await startProgram({
    command: fileURLToPath(new URL('../../../bin/oxbow', import.meta.url)),
    args: ['config', '--json'],
    cwd: workspace.path,
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: workspace.home, OXBOW_HOME: workspace.home },
  });
  const { code, stdout } = await program.wait();
  expect(code).toBe(0);
  const settings: unknown = JSON.parse(stdout);
  expect(settings).toContainEqual({ key: 'model', value: 'm', origin: userFile });
  expect(settings).toContainEqual({ key: 'openai_base_url', value: null, origin: 'default' });
});

test('profile, folder and project are those of a run in that folder', async () => {
  workspace.configure(`[profiles.fast]\nmodel = "quick"\n[projects."${workspace.path}"]\ntrust_level = "trusted"`);
  writeFileSync(join(workspace.home, 'fast.config.toml'), 'model_verbosity = "low"');
  const project = workspace.write('.oxbow/config.toml', 'model_reasoning_effort = "high"');
  mkdirSync(workspace.file('sub'));
  const { stdout } = await config('-p', 'fast', '-C', join(workspace.path, 'sub'));
  expect(lineOf(stdout, 'profile')).toBe('profile = "fast" # command line');
  expect(lineOf(stdout, 'model')).toBe(`model = "quick" # ${userFile} [profiles.fast]`);
  expect(lineOf(stdout, 'model_verbosity')).toBe(
    `model_verbosity = "low" # ${join(workspace.home, 'fast.config.toml')}`,
  );
  expect(lineOf(stdout, 'model_reasoning_effort')).toBe(`model_reasoning_effort = "high" # ${project}`);
  expect(lineOf(stdout, 'sandbox_mode')).toBe('sandbox_mode = "workspace-write" # default');
});

test('secrets are printed on neither stream', async () => {
  workspace.configure(
    '[model_providers.x]\nexperimental_bearer_token = "s3cret"\nhttp_headers = { A = "s3cret" }\n[shell_environment_policy.set]\nTOKEN = "s3cret"',
  );
  const { code, stdout, stderr } = await config(
    '-c',
    'model_providers.y.experimental_bearer_token="s3cret"',
    '-c',
    'x=1',
  );
  expect(code).toBe(0);
  expect(stdout).toContain('model_providers.y.experimental_bearer_token = "[hidden]"');
  expect(stdout + stderr).not.toContain('s3cret');
});

test('ignored settings are reported on standard error', async () => {
  workspace.configure('modle = "m"');
  const project = workspace.write('.codex/config.toml', 'model = "theirs"');
  const { code, stdout, stderr } = await config();
  expect(code).toBe(0);
  expect(stderr).toBe(
    [
      `warning: The settings in ${project} were ignored, because the project is not trusted. To see and trust it: oxbow trust ${workspace.path}\n`,
      `warning: Unknown settings were ignored: modle (did you mean model?) in ${userFile}.\n`,
    ].join(''),
  );
  expect(lineOf(stdout, 'model')).toBe('model = not set # default');
});

test('mistakes are reported in one sentence', async () => {
  workspace.configure('log_level = 5');
  const rows: [string[], number, string][] = [
    [[], 1, `oxbow: log_level must be one of "off", "error", "info", "debug", not 5 (${userFile}).\n`],
    [['-p', 'gone'], 1, `oxbow: There is no profile "gone": neither [profiles.gone] in ${userFile} nor the file`],
    [['path'], 2, 'oxbow: Unexpected "path". See oxbow config --help.\n'],
  ];
  for (const [args, code, message] of rows) {
    const result = await config(...args);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
    expect(result.stdout).toBe('');
  }
});

test('the help has an example', async () => {
  const { code, stdout } = await config('--help');
  expect(code).toBe(0);
  expect(stdout).toContain('Usage: oxbow config [get KEY | set KEY VALUE] [options]');
  expect(stdout).toContain('Example:\n  oxbow config');
});
