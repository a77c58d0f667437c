import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorkspace, type TempWorkspace } from '../../testing/index.ts';
import { explainConfig } from '../explain-config.ts';
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

test('prices are read by the name of the model', () => {
  const toml = `[model_prices.m]\ninput = 0\noutput = 1.5\n[model_prices."p/a.b"]\ninput = 1\ncached_input = 0.1\ncache_write = 2\noutput = 3`;
  const { modelPrices, warnings } = loadConfig(optionsOf(toml));
  expect(modelPrices).toEqual({
    m: { input: 0, output: 1.5 },
    'p/a.b': { input: 1, cachedInput: 0.1, cacheWrite: 2, output: 3 },
  });
  expect(warnings).toEqual([]);
  const shown = explainConfig(optionsOf(toml)).settings;
  expect(shown).toContainEqual(expect.objectContaining({ key: 'model_prices."p/a.b".cached_input', value: 0.1 }));
});

test.each([
  ['[model_prices."a/b"]\ninput = 1', '[model_prices."a/b"] has no output'],
  ['[model_prices.m]\noutput = 1', '[model_prices.m] has no input'],
  ['[model_prices.m]\ninput = "1"\noutput = 1', 'a number that is not negative'],
  ['[model_prices.m]\ninput = -1\noutput = 1', 'a number that is not negative'],
])('a value that is not a price is named: %s', (toml, message) => {
  expect(() => loadConfig(optionsOf(toml))).toThrow(message);
});

test('a project may not set prices: limits on the cost depend on them', () => {
  const options = optionsOf(`[projects."${workspace.path}"]\ntrust_level = "trusted"`);
  workspace.write('.oxbow/config.toml', '[model_prices.m]\ninput = 0\noutput = 0');
  const { modelPrices, warnings } = loadConfig(options);
  expect(modelPrices).toEqual({});
  expect(warnings).toEqual([expect.stringContaining('model_prices in ')]);
});
