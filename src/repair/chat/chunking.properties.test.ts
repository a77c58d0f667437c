import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { call, chunk, DONE, piece, type RepairedChat, repairOnce } from './fixtures/repair-frames.ts';

const BLOCK = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>';
const SECTION =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path":"x"}<|tool_call_end|><|tool_calls_section_end|>';
const PARTS = [BLOCK, SECTION, '<tool', '`', '```', '<', '{', '[', '\n', 'word', ' ', 'a', '.', '<|', '</think>'];

/** No part comes twice: a piece that repeats everything before it would pass for a snapshot. */
const anyText = fc
  .uniqueArray(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(''));
const anyCuts = fc.array(fc.nat(200), { maxLength: 12 });

/** Generates a text in pieces. */
function cut(text: string, cuts: readonly number[]): readonly string[] {
  const places = [...new Set([0, ...cuts.map((place) => place % text.length), text.length])].sort((a, b) => a - b);
  return places.slice(1).map((end, n) => text.slice(places[n] ?? 0, end));
}

const resultOf = ({ text, reasoning, calls, callIds, end, ids }: RepairedChat) => ({
  text,
  reasoning,
  calls,
  callIds,
  end,
  ids,
});

describe('however a text is cut, the result is the same', () => {
  test.each(['content', 'reasoning_content'])('%s', (field) => {
    fc.assert(
      fc.property(anyText, anyCuts, fc.constantFrom('stop', 'tool_calls', 'length', null), (text, cuts, finish) => {
        const frames = (pieces: readonly string[]) => [
          ...pieces.map((it) => chunk({ [field]: it })),
          ...(finish === null ? [] : [chunk({}, finish)]),
          DONE,
        ];
        const whole = repairOnce(frames([text]));
        const pieces = repairOnce(frames(cut(text, cuts)));
        expect(resultOf(pieces)).toEqual(resultOf(whole));
        expect(pieces.ids.length > 0 || pieces.data.join('') === frames(cut(text, cuts)).join('')).toBe(true);
      }),
      { numRuns: runs(600) },
    );
  });

  test('arguments', () => {
    const json = fc.constantFrom(
      '{"path":"C:\\dir"}',
      '{"path":"a"}{"path":"b"}',
      '{"path":["x"]',
      '"{\\"path\\":1}"',
      '{"path":"a',
      '{}{}',
      ' ',
      'null',
      '[1]',
    );
    fc.assert(
      fc.property(json, anyCuts, fc.constantFrom('stop', 'tool_calls', 'length'), (text, cuts, finish) => {
        const frames = (pieces: readonly string[]) => [
          piece(call(0, 'c', 'read', '')),
          ...pieces.map((it) => piece({ index: 0, function: { arguments: it } })),
          chunk({}, finish),
          DONE,
        ];
        expect(resultOf(repairOnce(frames(cut(text, cuts))))).toEqual(resultOf(repairOnce(frames([text]))));
      }),
      { numRuns: runs(300) },
    );
  });
});
