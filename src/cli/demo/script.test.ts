import { expect, test } from 'vitest';
import type { Item } from '../../base/item.ts';
import { createIds } from '../../testing/ids.ts';
import * as testing from '../../testing/index.ts';
import { planDelivery } from '../../testing/plan-delivery.ts';
import { responsesReplyWire } from '../../testing/wires/responses.ts';
import { demoScript } from './script.ts';

const PLAN_TOOL = { type: 'function', name: 'update_plan', description: '', strict: false, parameters: {} } as const;

/** Returns all answers of the script. */
async function answersOf(paceMs: number, body: testing.RequestBody) {
  const script = demoScript(testing, { test: 'node fizz.test.mjs', paceMs });
  const answers: testing.ScriptedAnswer[] = [];
  for (let n = 1; ; n++) {
    const answer = await script({ body } as testing.RecordedRequest, n);
    if (answer === undefined) return answers;
    answers.push(answer);
  }
}

async function partsOf(body: testing.RequestBody) {
  return (await answersOf(0, body)).flatMap((answer) => (answer.kind === 'reply' ? answer.parts : []));
}

test('on a terminal the pauses of the whole script stay well below twelve seconds', async () => {
  const answers = await answersOf(24, { tools: [PLAN_TOOL] });
  const steps = answers.flatMap(
    (answer) => planDelivery(answer, responsesReplyWire, { ids: createIds(), model: 'x' }).steps,
  );
  const pauses = steps.map((step) => (step.kind === 'pause' ? step.ms : 0));
  const total = pauses.reduce((sum, ms) => sum + ms, 0);
  expect(total).toBeGreaterThan(4000);
  expect(total).toBeLessThan(10_500);
});

test('without a pace there are no pauses', async () => {
  expect((await partsOf({ tools: [PLAN_TOOL] })).filter(({ kind }) => kind === 'pause')).toEqual([]);
});

test('a plan is made only when the model was offered the tool for it', async () => {
  const namesOf = async (body: testing.RequestBody) =>
    (await partsOf(body)).flatMap((part) => (part.kind === 'call' ? part.name : []));
  expect(await namesOf({ tools: [PLAN_TOOL] })).toContain('update_plan');
  expect(await namesOf({ tools: [] })).not.toContain('update_plan');
});

test('texts fit into 80 columns', async () => {
  const texts = (await partsOf({})).flatMap((part) => {
    if (part.kind === 'say') return part.text.split('\n');
    return part.kind === 'think' ? part.summary : [];
  });
  expect(texts.filter((line) => line.length > 80)).toEqual([]);
});

test('the answer says that the test passes only when the request says so', async () => {
  const lastText = async (output: string) => {
    const item: Item = { type: 'function_call_output', call_id: 'call_test_again', output };
    const last = (await partsOf({ input: [item] })).at(-1);
    return last?.kind === 'say' ? last.text : undefined;
  };
  expect(await lastText('Process exited with code 0\nOutput:\nok')).toContain('The test passes.');
  expect(await lastText('Process exited with code 1\nOutput:\nnot ok')).toContain('The test still fails');
});
