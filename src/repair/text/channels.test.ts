import { describe, expect, test } from 'vitest';
import { scanEverySplit } from './test-scan.ts';

describe('channels', () => {
  test.each([
    [
      '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hello<|return|>',
      'Hm.',
      'Hello',
    ],
    ['<|start|>assistant<|channel|>final<|message|>Hello', '', 'Hello'],
    ['<|channel|>commentary<|message|>{"a": 1}<|end|>', '', '{"a": 1}'],
    ['<|channel|>analysis<|message|>Hm. ```\nx<|end|><|channel|>final<|message|>`a<|return|>', 'Hm. ```\nx', '`a'],
    ['<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>Hello', 'Hm.', 'Hello'],
    ['Well.\n<|channel|>analysis<|message|>Hm.', 'Hm.', 'Well.\n'],
  ])('are sorted into reasoning and text: %j', (text, reasoning, answer) => {
    const expected = { reasoning, text: answer, calls: [], repairs: ['D11'] };
    expect(scanEverySplit(text)).toMatchObject(expected);
    expect(scanEverySplit(text, { tools: new Map() })).toMatchObject(expected);
  });

  test.each([
    '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "SF"}<|call|>',
    '<|channel|>commentary to=functions.get_weather<|message|>{"city": "SF"}<|end|>',
    '<|channel|>commentary to=get_weather json<|message|>\n{"city": "SF"}\n<|call|>',
    '<|start|>assistant to=functions.get_weather<|channel|>commentary<|constrain|>json<|message|>{"city": "SF"}<|call|>',
    '<|start|>assistant<|channel|>analysis to=functions.get_weather code<|message|>{"city": "SF"}',
  ])('with a recipient are calls: %j', (raw) => {
    const calls = [{ id: 'D11', name: 'get_weather', arguments: { city: 'SF' }, raw }];
    expect(scanEverySplit(raw)).toMatchObject({ text: '', reasoning: '', calls });
    expect(scanEverySplit(`Hm.${raw}`, { channel: 'reasoning' })).toMatchObject({ reasoning: 'Hm.', calls });
    const analysis = '<|channel|>analysis<|message|>Hm.<|end|>';
    expect(scanEverySplit(analysis + raw)).toMatchObject({ reasoning: 'Hm.', text: '', calls });
  });

  test.each([
    '<|channel|>commentary to=functions.nobody<|message|>{}<|call|>',
    '<|channel|>commentary to=functions.get_weather<|message|>{"city": "S',
    '<|channel|>other<|message|>Hello',
    '<|channel|>final',
    '<|start|>user<|message|>Hello',
    '<|end|>',
  ])('that are none stay: %j', (text) => {
    expect(scanEverySplit(text)).toMatchObject({ text, calls: [], repairs: [] });
  });

  test('with a recipient stay if calls are not scanned for', () => {
    const text = '<|channel|>commentary to=functions.get_weather<|message|>{"city": "SF"}<|call|>';
    expect(scanEverySplit(text, { textCalls: false })).toMatchObject({ text, calls: [] });
  });

  test('stay in the reasoning, and in text that is not scanned', () => {
    const text = '<|channel|>analysis<|message|>Hm.<|end|>';
    expect(scanEverySplit(text, { channel: 'reasoning' })).toMatchObject({ reasoning: text, repairs: [] });
    expect(scanEverySplit(text, { textCalls: false, thinking: 'text' })).toMatchObject({ text, repairs: [] });
  });
});

describe('channels without their brackets', () => {
  const CALL = 'commentary to=functions.get_weather json{"city": "SF"}';
  const calls = [{ id: 'D11', name: 'get_weather', arguments: { city: 'SF' }, raw: CALL }];

  test.each([
    ['analysisWe add.assistantfinalIt is 4.', 'We add.', 'It is 4.', []],
    [`analysisWe ask the assistant.assistant${CALL}`, 'We ask the assistant.', '', calls],
    [`analysisWe ask.assistant${CALL}assistantanalysisGood.assistantfinalDone.`, 'We ask.Good.', `${CALL}Done.`, []],
    ['analysisWe say.assistantcommentaryOne moment.assistantfinalDone.', 'We say.', 'One moment.Done.', []],
    [CALL, '', '', calls],
  ])('%j', (text, reasoning, answer, found) => {
    expect(scanEverySplit(text)).toMatchObject({ reasoning, text: answer, calls: found, repairs: ['D11'] });
  });

  test.each([
    'analysisWe never end.',
    'analysis of it: assistantfinal',
    'analysisThe assistant',
    'analysisWe askassistantcommentary to=functions.nobody json{}',
    'commentary to=all of it',
    'analysis',
  ])('that are none stay: %j', (text) => {
    expect(scanEverySplit(text)).toMatchObject({ text, reasoning: '', calls: [], repairs: [] });
  });
});
