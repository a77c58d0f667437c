import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorkspace, type TempWorkspace } from '../../testing/index.ts';
import { type LoadOptions, loadConfig } from '../load-config.ts';

let workspace: TempWorkspace;
beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(() => workspace.dispose());

function optionsOf(toml: string): LoadOptions {
  workspace.configure(toml);
  const env = { HOME: '/nowhere', OXBOW_HOME: workspace.home };
  return { env, cwd: workspace.path, systemFile: '/nowhere/config.toml' };
}

test('facts are read by the name of the model', () => {
  const toml = `[models.m]\ncontext_window = 1000\n[models."p/a.b"]\ninput = ["text", "image"]\nmax_output_tokens = 5\nreasoning_efforts = ["low"]`;
  const { models, warnings } = loadConfig(optionsOf(toml));
  expect(models).toEqual({
    m: { contextWindow: 1000 },
    'p/a.b': { input: ['text', 'image'], maxOutputTokens: 5, reasoningEfforts: ['low'] },
  });
  expect(warnings).toEqual([]);
});

test.each([
  ['context_window = 0', 'a number of tokens'],
  ['context_window = "1000"', 'a number of tokens'],
  ['max_output_tokens = 1.5', 'a number of tokens'],
  ['input = ["smell"]', 'a list of "text", "image", "audio", "video", "pdf"'],
  ['reasoning_efforts = "low"', 'a list of strings'],
])('a wrong value is named: %s', (line, expected) => {
  expect(() => loadConfig(optionsOf(`[models.m]\n${line}`))).toThrow(expected);
});

test('a slip in a key is noticed', () => {
  expect(loadConfig(optionsOf('[models.m]\ncontext_windows = 5')).warnings.join()).toContain('context_windows');
});
