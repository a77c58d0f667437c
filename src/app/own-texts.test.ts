import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorkspace, type TempWorkspace } from '../testing/index.ts';
import { createAgent } from './agent.ts';

let workspace: TempWorkspace;
beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(() => workspace.dispose());

const agentOf = (toml = '') => {
  workspace.configure(toml);
  const env = { HOME: '/nowhere', OXBOW_HOME: workspace.home, OPENAI_API_KEY: 'k' };
  return createAgent({ cwd: workspace.path, env, systemFile: '/nowhere/config.toml' });
};

test('an agent keeps texts and drafts in its home', async () => {
  const agent = agentOf();
  await agent.promptHistory.add('fix it', 'thread-1');
  expect(await agent.promptHistory.recent(5)).toEqual(['fix it']);
  await agent.drafts.write({ folder: workspace.path }, { text: 'a', folds: [] });
  expect(await agent.drafts.read({ folder: workspace.path })).toEqual({ text: 'a', folds: [] });
  expect(readdirSync(workspace.home)).toEqual(expect.arrayContaining(['drafts', 'history.jsonl']));
  await agent.close();
});

test('no text is kept if the user says so', async () => {
  const agent = agentOf('[history]\npersistence = "none"\n');
  await agent.promptHistory.add('fix it', 'thread-1');
  expect(await agent.promptHistory.recent(5)).toEqual([]);
  expect(existsSync(join(workspace.home, 'history.jsonl'))).toBe(false);
  expect(agent.config.warnings).toEqual([]);
  await agent.close();
});

test('a draft can still be kept while the agent is closing', async () => {
  const agent = agentOf();
  await agent.close();
  await expect(agent.drafts.read({ thread: 'x' })).rejects.toThrow('This agent is closed');
  agent.drafts.writeSync({ thread: 'x' }, { text: 'kept', folds: [] });
  expect(await agentOf().drafts.read({ thread: 'x' })).toEqual({ text: 'kept', folds: [] });
});
