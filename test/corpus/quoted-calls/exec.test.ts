import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createWorkspace, reply, say, startScriptedModel } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { sampled } from '../../harness/runs.ts';
import type { TextWire } from './frames.ts';
import { CALLING_TEXTS, QUOTING_TEXTS, type QuotingText, shareOf } from './texts.ts';

const WIRES: readonly TextWire[] = ['chat', 'responses'];

/** Turns of one thread. */
const TURNS = 40;

function configFor(wire: TextWire) {
  return { sandbox_mode: 'danger-full-access', model_providers: { scripted: { wire_api: wire } } };
}

describe.each(WIRES)('the agent over %s', (wire) => {
  test('runs nothing that an answer only quotes, and shows it as it came', async () => {
    let text = '';
    const s = await libraryScene(() => reply(say(text)), configFor(wire));
    const texts = shareOf(QUOTING_TEXTS, WIRES.indexOf(wire), WIRES.length);
    for (let n = 0; n < texts.length; n += TURNS) {
      const thread = await s.agent.startThread(s.threadOptions());
      for (const quoting of texts.slice(n, n + TURNS)) {
        text = quoting.text;
        const { finalResponse } = await thread.run(quoting.read ?? 'What does it say?');
        expect(finalResponse, quoting.name).toBe(text);
      }
      await thread.close();
    }
    expect(texts.filter(({ marker }) => existsSync(s.workspace.file(marker)))).toEqual([]);
    expect(s.model.requests).toHaveLength(texts.length);
  });

  test('runs a call that a server left in the text, and says so before', async () => {
    let next: QuotingText | undefined;
    const s = await libraryScene((_, n) => reply(say(n % 2 === 1 ? (next?.text ?? '') : 'Done.')), configFor(wire));
    const thread = await s.agent.startThread(s.threadOptions());
    for (const calling of CALLING_TEXTS) {
      next = calling;
      s.events.length = 0;
      const { finalResponse } = await thread.run(calling.read ?? 'Make it.');
      expect(finalResponse, calling.name).toBe('Done.');
      expect(existsSync(s.workspace.file(calling.marker)), calling.name).toBe(true);
      const types = s.events.map((event) => ('item' in event ? `${event.type} ${event.item.type}` : event.type));
      expect(types.indexOf('repair'), calling.name).toBeGreaterThan(-1);
      expect(types.indexOf('repair'), calling.name).toBeLessThan(types.indexOf('item.started command'));
    }
    await thread.close();
  });
});

describe('the program', () => {
  const texts = sampled(QUOTING_TEXTS).filter((_, n) => n % 25 === 0);

  test.each(WIRES.flatMap((wire) => texts.map((quoting) => ({ ...quoting, wire }))))(
    'over $wire: $name',
    async ({ wire, text, marker, read }) => {
      const { result, workspace } = await runExec(wire, text, [read ?? 'What does it say?']);
      expect(result.code, result.stderr).toBe(0);
      expect(result.stdout).toBe(text.endsWith('\n') ? text : `${text}\n`);
      expect(result.stderr).not.toContain('repair D');
      expect(existsSync(workspace.file(marker))).toBe(false);
    },
  );

  const [calling] = CALLING_TEXTS;
  const { text, marker } = calling ?? { text: '', marker: '' };

  test.each(WIRES)('shows the repair before the command, over %s', async (wire) => {
    const spoken = `I make the file.\n\n${text}`;
    const { result, workspace } = await runExec(wire, spoken, ['Make it.']);
    expect(existsSync(workspace.file(marker))).toBe(true);
    expect(result.stderr.indexOf('repair D1: a call in the text')).toBeGreaterThan(-1);
    expect(result.stderr.indexOf('repair D1: a call in the text')).toBeLessThan(result.stderr.indexOf('$ touch'));
    const { result: printed } = await runExec(wire, spoken, ['--json', 'Make it.']);
    const types = printed.events.map(({ type, item }) => (item === undefined ? type : `${type} ${item.type}`));
    expect(types.indexOf('repair')).toBeGreaterThan(-1);
    expect(types.indexOf('repair')).toBeLessThan(types.indexOf('item.started command_execution'));
  });

  test.each([[['-c', 'text_calls=false']], [['-c', 'model_providers.scripted.compat.text_calls=false']]])(
    'runs no call in a text with %s',
    async (flags) => {
      const { result, workspace } = await runExec('chat', text, [...flags, 'Make it.']);
      expect(result).toMatchObject({ code: 0, stdout: `${text}\n` });
      expect(existsSync(workspace.file(marker))).toBe(false);
    },
  );
});

async function runExec(wire: TextWire, text: string, args: readonly string[]) {
  const workspace = createWorkspace();
  const model = await startScriptedModel((_, n) => reply(say(n === 1 ? text : 'Done.')));
  try {
    const result = await runOxbow(['exec', ...args], { workspace, model, config: configFor(wire) });
    return { result, workspace };
  } finally {
    await model.close();
  }
}
