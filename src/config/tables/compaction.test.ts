import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorkspace, type TempWorkspace } from '../../testing/index.ts';
import { loadConfig } from '../load-config.ts';

let workspace: TempWorkspace;
beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(() => workspace.dispose());

function load(toml: string) {
  workspace.configure(toml);
  const env = { HOME: '/nowhere', OXBOW_HOME: workspace.home };
  return loadConfig({ env, cwd: workspace.path, systemFile: '/nowhere/config.toml' }).compaction;
}

test('nothing is configured', () => {
  expect(load('')).toEqual({ window: null, limit: null, prompt: null, promptFile: null });
});

test('everything is configured', () => {
  const toml = `model_context_window = 32768
model_auto_compact_token_limit = 20000
compact_prompt = "Sum up."
experimental_compact_prompt_file = "p.md"`;
  const promptFile = join(workspace.home, 'p.md');
  expect(load(toml)).toEqual({ window: 32_768, limit: 20_000, prompt: 'Sum up.', promptFile });
});

test.each([-1, 0])('a limit of %i is never reached', (limit) => {
  expect(load(`model_auto_compact_token_limit = ${limit}`).limit).toBe(Number.POSITIVE_INFINITY);
});

test.each([
  ['model_auto_compact_token_limit = -2', 'a number of tokens, or -1 for never'],
  ['model_auto_compact_token_limit = "much"', 'a number of tokens, or -1 for never'],
  ['model_auto_compact_token_limit = 0.5', 'a number of tokens, or -1 for never'],
  ['model_context_window = 0', 'a number of tokens'],
])('%s is a mistake', (toml, expected) => {
  expect(() => load(toml)).toThrow(expected);
});
