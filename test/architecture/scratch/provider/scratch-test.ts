import { expect, onTestFinished, test } from 'vitest';
import { createAgent } from '../../../../src/index.ts';
import { findProvider } from '../../../../src/model/providers/index.ts';
import { createWorkspace, reply, say, startScriptedModel } from '../../../../src/testing/index.ts';

// Runs as `scratch.test.ts` in the folder of the provider, in a copy of the tree whose table has the provider.

test('a config needs only the name of the scratch provider', async () => {
  expect(findProvider('scratch', {})).toMatchObject({ baseUrl: 'https://scratch.example/v1', wire: 'chat' });
  const model = await startScriptedModel([reply(say('done'))]);
  onTestFinished(() => model.close());
  const workspace = createWorkspace();
  onTestFinished(workspace.dispose);
  workspace.configure(`model_provider = "scratch"\n[model_providers.scratch]\nbase_url = "${model.url}"`);
  const agent = createAgent({ cwd: workspace.path, env: { HOME: workspace.home, OXBOW_HOME: workspace.home } });
  const thread = await agent.startThread();
  expect(await thread.run('go')).toMatchObject({ status: 'completed', finalResponse: 'done' });
  const [request] = model.requests;
  expect(request?.path).toBe('/v1/chat/completions');
  expect(request?.headers['x-scratch']).toBe('yes');
  expect(request?.body.model).toBe('scratch-1');
  await agent.close();
});
