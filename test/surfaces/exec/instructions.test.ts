import { expect, test } from 'vitest';
import { reply, say, think } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

test('user instructions follow the built-in ones, a file replaces them, and developer instructions are sent once', async () => {
  const s = await scene([reply(say('one')), reply(say('two')), reply(say('three'))]);
  const config = { instructions: 'Answer in rhyme.', developer_instructions: 'Be brief.', model_verbosity: 'low' };
  const first = await runOxbow(['exec', '--json', 'x'], { ...s, config });
  expect(s.model.requests[0]?.body.instructions).toMatch(/^You are Oxbow[\s\S]*\n\nAnswer in rhyme\.$/);
  const content = [{ text: 'Be brief.' }, { text: expect.stringMatching(/^<permissions instructions>/) }];
  expect(s.model.requests[0]?.body.input?.[0]).toMatchObject({ role: 'developer', content });
  expect(s.model.requests[0]?.body.text).toEqual({ verbosity: 'low' });
  await runOxbow(['exec', 'resume', String(first.events[0]?.thread_id), 'y'], { ...s, config });
  expect(JSON.stringify(s.model.requests[1]?.body.input).match(/Be brief\./g)).toHaveLength(1);

  const file = s.workspace.write('base.md', 'You are a parrot.\n');
  await runOxbow(['exec', 'x'], { ...s, config: { model_instructions_file: file } });
  expect(s.model.requests[2]?.body.instructions).toBe('You are a parrot.');
  const missing = await runOxbow(['exec', 'x'], { ...s, config: { model_instructions_file: '/no/such/file' } });
  expect(missing.code).toBe(1);
  expect(missing.stderr).toContain('model_instructions_file cannot be read');
});

test('raw reasoning is shown on request', async () => {
  const script = [reply(think([], { raw: 'hm, let me see' }), say('done'))];
  for (const [shown, expected] of [
    [false, []],
    [true, ['hm, let me see']],
  ] as const) {
    const s = await scene(script);
    const result = await runOxbow(['exec', '--json', 'x'], { ...s, config: { show_raw_agent_reasoning: shown } });
    const texts = result.events.flatMap(({ item }) => (item?.type === 'reasoning' ? [item.text] : []));
    expect(texts).toEqual(expected);
  }
});
