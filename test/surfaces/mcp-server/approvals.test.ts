import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { mcpScene, testOf, WAYS } from './mcp-scene.ts';

/** Every command but a known harmless one needs an approval. */
const CONFIG = { approval_policy: 'untrusted', sandbox_mode: 'danger-full-access' };
const touch = (name: string) => reply(call('exec_command', { cmd: `touch ${name}` }));

describe.each(WAYS)('over $over with $revision', (way) => {
  const testWay = testOf(way);

  testWay('a client approves in the words of MCP, or in those of Codex in MCP', async () => {
    const contents = [{}, { decision: 'approved' }];
    const asked: Readonly<Record<string, unknown>>[] = [];
    const script = contents.flatMap((_, n) => [touch(`made-${n}`), reply(say('Done.'))]);
    const { connect, workspace } = await mcpScene(way, script, CONFIG);
    const { call: callTool, events } = await connect({
      onElicit: (params) => ({ action: 'accept', content: contents[asked.push(params) - 1] }),
    });
    for (const n of contents.keys()) {
      const { content, structuredContent } = await callTool('codex', { prompt: 'go' });
      expect(content[0]?.text).toBe('Done.');
      expect(existsSync(join(workspace.path, `made-${n}`))).toBe(true);
      expect(asked).toHaveLength(n + 1);
      expect(asked[n]).toMatchObject({
        message: expect.stringContaining(`touch made-${n}`),
        requestedSchema: { type: 'object', properties: {} },
      });
      const ofThread = events.filter(({ _meta }) => _meta.threadId === structuredContent?.threadId);
      expect(ofThread.find(({ msg }) => msg.type === 'exec_approval_request')?.msg).toMatchObject({
        command: expect.arrayContaining([expect.stringContaining(`touch made-${n}`)]),
        cwd: workspace.path,
      });
    }
  });

  testWay('a client that does not approve prevents the command, and the turn goes on', async () => {
    const refusals = [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { decision: 'denied' } },
      { action: 'accept', content: { decision: 'perhaps' } },
    ];
    const script = refusals.flatMap(() => [touch('made'), reply(say('Not done.'))]);
    const { connect, workspace, outputs } = await mcpScene(way, script, CONFIG);
    const answers = [...refusals];
    const { call: callTool } = await connect({ onElicit: () => answers.shift() });
    for (const [n, refusal] of refusals.entries()) {
      const { content, isError } = await callTool('codex', { prompt: 'go' });
      expect({ refusal, text: content[0]?.text, isError }).toEqual({ refusal, text: 'Not done.', isError: undefined });
      expect([...outputs(2 * n + 1).values()].join()).toContain('rejected by user');
    }
    expect(existsSync(join(workspace.path, 'made'))).toBe(false);
    expect(answers).toEqual([]);
  });

  testWay('an approval for the session covers the same command in the next call', async () => {
    let asked = 0;
    const script = [touch('made'), reply(say('One.')), touch('made'), reply(say('Two.'))];
    const { connect } = await mcpScene(way, script, CONFIG);
    const { call: callTool } = await connect({
      onElicit: () => {
        asked++;
        return { action: 'accept', content: { decision: 'approved_for_session' } };
      },
    });
    const { structuredContent } = await callTool('codex', { prompt: 'go' });
    await callTool('codex-reply', { prompt: 'again', threadId: structuredContent?.threadId });
    expect(asked).toBe(1);
  });

  testWay('abort interrupts the turn', async () => {
    const { connect } = await mcpScene(way, [touch('made')], CONFIG);
    const { call: callTool } = await connect({
      onElicit: () => ({ action: 'accept', content: { decision: 'abort' } }),
    });
    const { content, isError } = await callTool('codex', { prompt: 'go' });
    expect({ text: content[0]?.text, isError }).toEqual({ text: 'The turn was interrupted.', isError: true });
  });

  testWay('a patch is asked about with its changes', async () => {
    const asked: Readonly<Record<string, unknown>>[] = [];
    const patch = '*** Begin Patch\n*** Delete File: b.txt\n*** End Patch';
    const { connect, workspace } = await mcpScene(
      way,
      [reply(call('apply_patch', { input: patch })), reply(say('Done.'))],
      CONFIG,
    );
    writeFileSync(join(workspace.path, 'b.txt'), 'two\n');
    const { call: callTool, events } = await connect({
      onElicit: (params) => {
        asked.push(params);
        return { action: 'accept', content: {} };
      },
    });
    await callTool('codex', { prompt: 'go' });
    expect(existsSync(join(workspace.path, 'b.txt'))).toBe(false);
    const changes = { [join(workspace.path, 'b.txt')]: { type: 'delete', content: 'two\n' } };
    const types = events.map(({ msg }) => msg.type).filter((type) => type.includes('patch'));
    expect(types).toEqual(['apply_patch_approval_request', 'patch_apply_begin', 'patch_apply_end']);
    for (const { msg } of events.filter((one) => one.msg.type.includes('patch')))
      expect(msg).toMatchObject({ changes });
    expect(asked).toHaveLength(1);
  });

  testWay('without elicitation the policy decides at once, and the model reads so', async () => {
    const { connect, workspace, outputs } = await mcpScene(way, [touch('made'), reply(say('You have to.'))], CONFIG);
    const { call: callTool } = await connect();
    const { content } = await callTool('codex', { prompt: 'go' });
    expect(content[0]?.text).toBe('You have to.');
    expect(existsSync(join(workspace.path, 'made'))).toBe(false);
    expect([...outputs(1).values()].join()).toContain('nobody can be asked');
  });
});
