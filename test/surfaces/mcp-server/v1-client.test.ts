import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { cleanEnvironment, PROGRAM } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';

const sdk = join(process.env.OXBOW_MCP ?? '/nonexistent', 'node_modules/@modelcontextprotocol/sdk/dist/esm');
const load = (path: string) => import(/* @vite-ignore */ pathToFileURL(join(sdk, path)).href);

test.skipIf(process.env.OXBOW_MCP === undefined)(
  'a client of the first SDK runs a turn that asks, and replies',
  async () => {
    const { model, workspace } = await scene([
      reply(call('exec_command', { cmd: 'touch made' })),
      reply(say('Made.')),
      reply(say('Again.')),
    ]);
    workspace.configure(scriptedConfig(model.url, { approval_policy: 'untrusted' }));
    const { Client } = await load('client/index.js');
    const { StdioClientTransport } = await load('client/stdio.js');
    const { ElicitRequestSchema } = await load('types.js');
    const client = new Client({ name: 't', version: '1' }, { capabilities: { elicitation: {} } });
    onTestFinished(() => client.close());
    const asked: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, async ({ params }: { params: { message: string } }) => {
      asked.push(params.message);
      return { action: 'accept', content: {} };
    });
    const types: string[] = [];
    client.fallbackNotificationHandler = async ({ params }: { params: { msg: { type: string } } }) => {
      types.push(params.msg.type);
    };
    const env = cleanEnvironment(workspace);
    await client.connect(
      new StdioClientTransport({ command: PROGRAM, args: ['mcp-server'], env, cwd: workspace.path }),
    );
    const first = await client.callTool({ name: 'codex', arguments: { prompt: 'go' } });
    expect(first.content).toEqual([{ type: 'text', text: 'Made.' }]);
    expect(asked).toEqual([expect.stringContaining('touch made')]);
    expect([types[0], types.at(-1)]).toEqual(['session_configured', 'task_complete']);
    const { threadId } = first.structuredContent;
    const second = await client.callTool({ name: 'codex-reply', arguments: { prompt: 'go', threadId } });
    expect(second.structuredContent).toMatchObject({ threadId, content: 'Again.' });
  },
);
