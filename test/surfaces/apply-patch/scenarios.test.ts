import { expect, test } from 'vitest';
import { applyPatch } from '../../../src/app/commands/apply-patch.ts';
import { makeTree, readTree } from '../../../src/exec/files/test-tree.ts';
import { readScenarios } from '../../behaviour/patch/read-scenarios.ts';

test.each(readScenarios())('on disk, a patch turns a tree into the result of the scenario: $name', (scenario) => {
  const cwd = makeTree(Object.fromEntries(scenario.before));
  const { success, text } = applyPatch(scenario.patch, cwd);
  const said = success ? undefined : text.replaceAll(`${cwd}/`, '').slice(0, scenario.error?.length);
  expect(said).toBe(scenario.error);
  const files = Object.entries(readTree(cwd)).filter(([name]) => !name.endsWith('/'));
  const expected = [...scenario.after].map(([name, content]) => [name, Buffer.from(content).toString('latin1')]);
  expect(Object.fromEntries(files)).toEqual(Object.fromEntries(expected));
});
