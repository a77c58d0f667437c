import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gate, type ReplyPart, raw, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const overChat = { model_providers: { scripted: { wire_api: 'chat' } } };

/** Together with the chunk of the role these are 26 chunks. */
const TEXT = Array.from({ length: 25 }, (_, n) => `word${n}`).join(' ');

const TOOL_CALLS = raw({
  id: 'chatcmpl_1',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'm',
  choices: [
    {
      index: 0,
      delta: {
        tool_calls: [
          { index: 0, id: 'call_1', type: 'function', function: { name: 'shell', arguments: '{"command":["ls"]}' } },
        ],
      },
      finish_reason: null,
    },
  ],
});

const answer = (...between: readonly ReplyPart[]) => reply(say(TEXT), ...between, TOOL_CALLS, { finishReason: 'stop' });

test('seed 001: after 26 chunks of text, one with tool_calls and `stop`, the text is shown and the tool runs', async () => {
  const s = await scene([answer(), reply(say('There is one file.'))], { 'found.txt': '' });
  const result = await runOxbow(['exec', 'check the project'], { ...s, config: overChat });
  expect(result.code).toBe(0);
  expect(result.stderr).toContain(TEXT);
  expect(result.stderr).toContain('found.txt');
  expect(result.stderr.match(/^repair A1: /gm)).toHaveLength(1);
  expect(result.stdout).toBe('There is one file.\n');
  const { messages } = s.model.requests[1]?.body ?? {};
  expect((messages as object[]).at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('found.txt') });

  const log = readFileSync(join(s.workspace.home, 'log', 'oxbow.log'), 'utf8');
  expect(log).toContain('Received chunk #27 with tool_calls: 1 calls');
  expect(log).toContain("Setting finish_reason to 'tool_calls' (detected tool_calls in stream)");
});

test('seed 001: the text is shown before the call arrives', async () => {
  let callMayCome = () => {};
  const s = await libraryScene(
    [answer(gate(new Promise<void>((resolve) => (callMayCome = resolve)))), reply(say('done'))],
    overChat,
  );
  const thread = await s.agent.startThread();
  const { events, result } = await thread.runStreamed('check the project');
  let text = '';
  for await (const event of events) {
    if (event.type === 'text.delta') text += event.delta;
    if (text === TEXT) callMayCome();
  }
  expect(text).toBe(`${TEXT}done`);
  expect((await result).finalResponse).toBe('done');
  await thread.close();
});
