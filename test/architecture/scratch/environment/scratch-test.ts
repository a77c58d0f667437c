import { expect, onTestFinished, test } from 'vitest';
import { isCallOutput } from '../../../../src/base/item.ts';
import { createAgent } from '../../../../src/index.ts';
import { call, createWorkspace, reply, say, startScriptedModel } from '../../../../src/testing/index.ts';
import { createScratchEnvironment } from './scratch-environment.ts';

// Runs as `scratch.test.ts` in the folder of the environment, in a copy of the tree whose suite has the environment.

test('an agent runs its commands in the scratch environment', async () => {
  const script = [reply(call('exec_command', { cmd: 'echo $ASKER', login: false })), reply(say('done'))];
  const model = await startScriptedModel(script);
  onTestFinished(() => model.close());
  const workspace = createWorkspace();
  onTestFinished(workspace.dispose);
  workspace.configure(`model = "m"\nmodel_provider = "s"\n[model_providers.s]\nbase_url = "${model.url}"`);
  const env = { HOME: workspace.home, OXBOW_HOME: workspace.home };
  const environment = ({ threadId }: { readonly threadId: string }) => createScratchEnvironment(threadId);
  const agent = createAgent({ cwd: workspace.path, env, environment });
  const thread = await agent.startThread();
  expect(await thread.run('go')).toMatchObject({ status: 'completed' });
  expect(JSON.stringify(model.requests[1]?.body.input?.find(isCallOutput))).toContain(thread.id);
  await agent.close();
});
