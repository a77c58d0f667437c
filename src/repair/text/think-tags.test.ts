import { describe, expect, test } from 'vitest';
import { createTextScanner } from './create-text-scanner.ts';
import { scanEverySplit, TOOLS } from './test-scan.ts';

const BLOCK = '<tool_call>{"name": "get_weather", "arguments": {"city": "SF"}}</tool_call>';

describe('think tags', () => {
  test.each([
    ['between tags at the beginning', '<think>\nHm.\n</think>\n\nHello', 'Hm.\n', 'Hello'],
    ['with the longer name', '\n<thinking>Hm.</thinking>\nHello', 'Hm.', 'Hello'],
    ['that is empty', '<think>\n\n</think>\n\nHello', '', 'Hello'],
    ['twice', '<think>a</think>\n<think>b</think>\nHello', 'ab', 'Hello'],
    ['with an end that never comes', '<think>Hm. And', 'Hm. And', ''],
    ['with the other tag inside', '<think>a</thinking>b</think>c', 'a</thinking>b', 'c'],
    [
      'with its own tag in code',
      '<think>I close with `</think>` then.</think>Ok.',
      'I close with `</think>` then.',
      'Ok.',
    ],
    [
      'with its own tag in quotes',
      '<think>I close with "</think>" then.</think>Ok.',
      'I close with "</think>" then.',
      'Ok.',
    ],
    ['with a fence left open', '<think>```\nx</think>Ok.', '```\nx', 'Ok.'],
    ['and a closing tag too many', '<think>a</think>b</think>\nc', 'a', 'bc'],
    ['with its opening tag inside', '<think>We write <think> here.</think>Ok.', 'We write <think> here.', 'Ok.'],
    ['with tags again in the answer', '<think>a</think>Use <think>b</think>.', 'a', 'Use <think>b</think>.'],
    ['with more line breaks than belong to the tag', '<think>a</think>\n\n\nb', 'a', '\nb'],
  ])('reasoning %s', (_, text, reasoning, answer) => {
    expect(scanEverySplit(text)).toMatchObject({ reasoning, text: answer, repairs: ['E2'] });
    expect(scanEverySplit(text, { tools: new Map() })).toMatchObject({ reasoning, text: answer, repairs: ['E2'] });
  });

  test.each([
    ['1. The user asks for it.</think>391', '1. The user asks for it.391'],
    ['He said "yes"</think>\n\nSure.', 'He said "yes"Sure.'],
    ['So it is\n</think>\n\nthe sum.', 'So it is\nthe sum.'],
  ])('a closing tag alone vanishes: %j', (text, left) => {
    expect(scanEverySplit(text)).toMatchObject({ text: left, reasoning: '', repairs: ['E3'] });
  });

  test.each([
    'Say <think> first.',
    'The model writes <think>so</think> before it answers.',
    'The </think> tag ends it.',
    'Write "</think>" there.',
    'Write `</think>` there.',
    '```\n</think>\n```\n',
    '<thinks>no</thinks>',
    '<think',
  ])('what speaks of tags stays: %j', (text) => {
    expect(scanEverySplit(text)).toMatchObject({ text, reasoning: '', repairs: [] });
  });

  test('an answer that begins inside reasoning', () => {
    const options = { thinking: 'open' } as const;
    expect(scanEverySplit('Hm.</think>\n\nHello', options)).toMatchObject({
      reasoning: 'Hm.',
      text: 'Hello',
      repairs: ['E3'],
    });
    expect(scanEverySplit('<think>Hm.</think>Hello', options)).toMatchObject({
      reasoning: 'Hm.',
      text: 'Hello',
      repairs: ['E2'],
    });
    expect(scanEverySplit('Hm.', options)).toMatchObject({ reasoning: 'Hm.', text: '', repairs: [] });
  });

  test('tags stay where they are text, and in the reasoning', () => {
    const text = '<think>a</think>b';
    expect(scanEverySplit(text, { thinking: 'text' })).toMatchObject({ text, repairs: [] });
    expect(scanEverySplit(text, { channel: 'reasoning' })).toMatchObject({ reasoning: text, repairs: [] });
  });

  test('calls between the tags belong to the reasoning, calls after them to the answer', () => {
    const { calls, text, reasoning, order } = scanEverySplit(`<think>I need\n${BLOCK}\n</think>\n\n${BLOCK}`);
    expect(calls).toMatchObject([{ within: 'reasoning' }, { within: 'text' }]);
    expect({ text, reasoning, order }).toEqual({ text: '', reasoning: 'I need\n', order: 'reasoning calls calls' });
  });

  test('reasoning is emitted as it comes', () => {
    const scanner = createTextScanner({
      channel: 'content',
      tools: TOOLS,
      thinking: 'tags',
      textCalls: true,
      continues: false,
      isQuoted: () => false,
      onRepair: () => {},
    });
    expect(scanner.push('<think>')).toEqual([]);
    expect(scanner.push('\nI ')).toEqual([{ type: 'reasoning', text: 'I ' }]);
    expect(scanner.push('think')).toEqual([{ type: 'reasoning', text: 'think' }]);
    expect(scanner.push('.</thi')).toEqual([{ type: 'reasoning', text: '.' }]);
    expect(scanner.push('nk>\n\nYes')).toEqual([{ type: 'text', text: 'Yes' }]);
    expect(scanner.push(' sir')).toEqual([{ type: 'text', text: ' sir' }]);
  });
});
