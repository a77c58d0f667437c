import { expect, test } from 'vitest';
import { reply, say } from '../../../../src/testing/index.ts';
import { runOnTerminal } from '../../../harness/run-on-terminal.ts';
import { runOxbow } from '../../../harness/run-oxbow.ts';
import { scene } from '../../../harness/scene.ts';

test('oxbow usage fits the terminal, and figures are never cut', async () => {
  const usage = { inputTokens: 1_234_567, outputTokens: 7654, reasoningOutputTokens: 321 };
  const s = await scene(() => reply(say('done'), { usage }));
  const prompt = 'a prompt with so many words that no table can have room for all of them';
  const { events } = await runOxbow(['exec', '--json', prompt], s);
  const id = String(events[0]?.thread_id);
  const piped = await runOxbow(['usage', id], { workspace: s.workspace });
  expect(Math.max(...piped.stdout.split('\n').map((line) => line.length))).toBeGreaterThan(120);
  for (const columns of [40, 80, 200]) {
    for (const args of [['usage'], ['usage', id], ['usage', '--requests', id]]) {
      const run = await runOnTerminal(args, { ...s, columns, env: { NO_COLOR: '1' } });
      const { text } = await run.wait();
      const lines = text.split('\r\n');
      expect({ args, columns, wide: lines.filter((line) => [...line].length > columns) }).toEqual({
        args,
        columns,
        wide: [],
      });
      for (const figure of ['1,234,567', '7,654', '321']) expect(text).toContain(figure);
    }
  }
});
