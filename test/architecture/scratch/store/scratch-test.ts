import { expect, onTestFinished, test } from 'vitest';
import { createAgent } from '../../../../src/index.ts';
import { createWorkspace, reply, say, startScriptedModel } from '../../../../src/testing/index.ts';
import { createScratchStore } from './scratch-store.ts';

// Runs as `scratch.test.ts` in the folder of the store, in a copy of the tree whose suite of stores has the store.

test('an agent keeps its threads in the scratch store', async () => {
  const model = await startScriptedModel([reply(say('one')), reply(say('two'))]);
  onTestFinished(() => model.close());
  const workspace = createWorkspace();
  onTestFinished(workspace.dispose);
  workspace.configure(`model = "m"\nmodel_provider = "s"\n[model_providers.s]\nbase_url = "${model.url}"`);
  const env = { HOME: workspace.home, OXBOW_HOME: workspace.home };
  const agent = createAgent({ cwd: workspace.path, env, store: createScratchStore() });
  const first = await agent.startThread();
  await first.run('go');
  await first.close();
  const again = await agent.resumeThread(first.id);
  expect(await again.run('on')).toMatchObject({ status: 'completed', finalResponse: 'two' });
  await again.close();
  expect(await agent.replay(first.id)).toMatchObject({ reproduced: true, turns: { replayed: 2 } });
  await agent.close();
});
