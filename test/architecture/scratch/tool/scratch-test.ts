import { expect, onTestFinished, test } from 'vitest';
import { isCallOutput } from '../../../../src/base/item.ts';
import { createAgent } from '../../../../src/index.ts';
import { call, createWorkspace, reply, say, startScriptedModel } from '../../../../src/testing/index.ts';

// Runs as `scratch.test.ts` in the folder of the tool, in a copy of the tree whose registry has the tool.

test('a model gets the scratch tool and calls it', async () => {
  const model = await startScriptedModel([reply(call('scratch_echo', { text: 'as told' })), reply(say('done'))]);
  onTestFinished(() => model.close());
  const workspace = createWorkspace();
  onTestFinished(workspace.dispose);
  workspace.configure(
    `model = "m"\nmodel_provider = "s"\nsandbox_mode = "danger-full-access"\n[model_providers.s]\nbase_url = "${model.url}"`,
  );
  const agent = createAgent({ cwd: workspace.path, env: { HOME: workspace.home, OXBOW_HOME: workspace.home } });
  const thread = await agent.startThread();
  expect(await thread.run('go')).toMatchObject({ status: 'completed', finalResponse: 'done' });
  expect(model.requests[0]?.body.tools).toContainEqual(expect.objectContaining({ name: 'scratch_echo' }));
  expect(model.requests[1]?.body.input?.find(isCallOutput)).toMatchObject({ output: 'as told\n' });
  await agent.close();
});
