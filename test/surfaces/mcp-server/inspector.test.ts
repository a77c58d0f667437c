import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { reply, say } from '../../../src/testing/index.ts';
import { newerNodes } from '../../harness/nodes.ts';
import { cleanEnvironment, PROGRAM } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';

const { OXBOW_MCP } = process.env;
const [node] = newerNodes();

test.skipIf(OXBOW_MCP === undefined || node === undefined)(
  'the command line of the inspector lists and calls both tools',
  async () => {
    const { workspace, model } = await scene([reply(say('One.')), reply(say('Two.'))]);
    workspace.configure(scriptedConfig(model.url));
    const env = cleanEnvironment(workspace);
    // The inspector hands only some variables on.
    const given = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const inspect = async (...words: readonly string[]) => {
      const inspector = join(OXBOW_MCP ?? '', 'node_modules/.bin/mcp-inspector');
      const args = [inspector, '--cli', ...given, ...words, '--transport', 'stdio', PROGRAM, 'mcp-server'];
      const { stdout } = await promisify(execFile)(node ?? '', args, { cwd: workspace.path, env });
      return JSON.parse(stdout);
    };
    const { tools } = await inspect('--method', 'tools/list');
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['codex', 'codex-reply']);
    const called = (tool: string, ...input: readonly string[]) =>
      inspect('--method', 'tools/call', '--tool-name', tool, ...input.flatMap((pair) => ['--tool-arg', pair]));
    const first = await called('codex', 'prompt=go');
    expect(first.content).toEqual([{ type: 'text', text: 'One.' }]);
    const { threadId } = first.structuredContent;
    const second = await called('codex-reply', 'prompt=again', `threadId=${threadId}`);
    expect(second.structuredContent).toMatchObject({ threadId, content: 'Two.' });
  },
  90_000,
);
