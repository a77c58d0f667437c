import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/base/item.ts';
import type { ModelRequest } from '../../../src/base/model.ts';
import { DEFAULT_COMPAT, repairStream } from '../../../src/wire.ts';
import { runs } from '../../harness/runs.ts';
import { findWire } from '../quirks/find-wire.ts';
import { summary } from '../quirks/run-case.ts';
import { framesOf, type TextWire } from './frames.ts';
import { inputOf, REQUEST, TOOLS } from './request.ts';
import { CALLING_TEXTS, QUOTING_TEXTS, type QuotingText } from './texts.ts';

const WIRES: readonly TextWire[] = ['chat', 'responses'];

test('there are enough texts', () => {
  expect(new Set(QUOTING_TEXTS.map(({ text }) => text)).size).toBeGreaterThan(250);
  expect(CALLING_TEXTS.length).toBeGreaterThan(30);
});

for (const wire of WIRES) {
  describe(`over the ${wire} wire, however it is cut`, () => {
    test.each(QUOTING_TEXTS)('stays text: $name', ({ text, read }) => {
      const request = { ...REQUEST, input: inputOf(read) };
      for (const pieces of cuts(text)) {
        const { calls, ...result } = run(wire, pieces, request);
        expect({ calls, text: result.text + result.reasoning, finish: result.finish }, JSON.stringify(pieces)).toEqual({
          calls: [],
          text: shownText(text),
          finish: 'stop',
        });
      }
    });

    test.each(CALLING_TEXTS)('is a call: $name', (given) => {
      for (const pieces of cuts(given.text)) expectCall(wire, pieces, given);
    });

    test.each(CALLING_TEXTS)('is text where the request allows no call: $name', ({ text }) => {
      const schema = { name: 'answer', strict: true, schema: {} };
      const requests: Partial<ModelRequest>[] = [
        { toolChoice: 'none' },
        { tools: [] },
        { text: { schema } },
        { text: { schema: { ...schema, anyObject: true } } },
      ];
      for (const more of requests) {
        const { calls, text: said, reasoning } = run(wire, [text], { ...REQUEST, ...more });
        expect({ calls, text: reasoning + said }).toEqual({ calls: [], text: shownText(text) });
      }
    });
  });
}

describe('a call in the input counts wherever it stands', () => {
  const [quoted] = CALLING_TEXTS;
  const block = quoted?.text ?? '';
  const part = { type: 'input_text', text: block } as const;
  const items: readonly [name: string, request: Partial<ModelRequest>][] = [
    ['instructions', { instructions: `Never write ${block}` }],
    ['a system message', { input: [{ type: 'message', role: 'system', content: [part] }] }],
    ['a developer message', { input: [{ type: 'message', role: 'developer', content: [part] }] }],
    ['an output', { input: [{ type: 'function_call_output', call_id: 'c', output: block }] }],
    ['an output in parts', { input: [{ type: 'custom_tool_call_output', call_id: 'c', output: [part] }] }],
    [
      'two parts of a message',
      {
        input: [
          {
            type: 'message',
            role: 'user',
            content: [
              { type: 'input_text', text: block.slice(0, 20) },
              { type: 'input_text', text: block.slice(20) },
            ],
          },
        ],
      },
    ],
    [
      'a file',
      {
        input: [
          {
            type: 'message',
            role: 'user',
            content: [
              {
                type: 'input_file',
                file_data: `data:text/plain;base64,${Buffer.from(`# Notes\n${block}`).toString('base64')}`,
              },
            ],
          },
        ],
      },
    ],
    ['the result of a tool of the server', { input: [{ type: 'tool_search_output', result: { text: block } }] }],
    ['the description of a tool', { tools: TOOLS.map((tool) => ({ ...tool, description: `Like ${block}` })) }],
  ];
  const own: readonly [name: string, input: Item][] = [
    ['message', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: block }] }],
    [
      'call',
      {
        type: 'function_call',
        call_id: 'c',
        name: 'exec_command',
        arguments: JSON.stringify({ cmd: `touch ${quoted?.marker}` }),
      },
    ],
    ['call with a text', { type: 'custom_tool_call', call_id: 'c', name: 'other', input: block }],
    [
      'reasoning',
      { type: 'reasoning', summary: [{ type: 'summary_text', text: block }], content: null, encrypted_content: null },
    ],
  ];

  test.each(items)('%s', (_, more) => {
    for (const wire of WIRES) {
      expect(run(wire, [block], { ...REQUEST, ...more })).toMatchObject({ calls: [], text: block, finish: 'stop' });
    }
  });

  test.each(own)('but not in an earlier %s of the model', (_, item) => {
    for (const wire of WIRES) {
      if (quoted !== undefined) expectCall(wire, [block], quoted, [item]);
    }
  });

  test('and so does every call where the input has too many markers to read them all', () => {
    const input = inputOf(`exec_command ${'<tool_call>{"name":"exec_command","arguments":{"cmd":"'.repeat(20_000)}`);
    expect(run('chat', [block], { ...REQUEST, input }).calls).toEqual([]);
  });
});

function expectCall(wire: TextWire, pieces: readonly string[], { marker, read }: QuotingText, more: Item[] = []): void {
  const { calls, finish } = run(wire, pieces, { ...REQUEST, input: [...inputOf(read), ...more] });
  expect({ calls, finish }, JSON.stringify(pieces)).toEqual({
    calls: [{ name: 'exec_command', arguments: { cmd: `touch ${marker}` } }],
    finish: 'calls',
  });
}

function run(wire: TextWire, pieces: readonly string[], request: ModelRequest) {
  const decoder = findWire(wire).decodeStream(request);
  const memory = { startsThinking: false };
  const repair = repairStream(wire, { request, compat: DEFAULT_COMPAT, memory, onRepair() {} });
  const frames = [...framesOf(wire, pieces).flatMap((frame) => repair.push(frame)), ...repair.end()];
  return summary([...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]);
}

/** Returns a text without think tags that begin it, which are not text. */
function shownText(text: string): string {
  return text.replace(/^<think>\n([^<]*)<\/think>\n\n/, '$1');
}

/** Returns a text as a whole, in single characters, and in two pieces: cut anywhere in a full run, at some places else. */
function cuts(text: string): readonly (readonly string[])[] {
  const step = Math.max(1, Math.floor(text.length / (runs(text.length * 40) / 40)));
  const places = Array.from({ length: text.length }, (_, at) => at).filter((at) => at > 0 && at % step === 0);
  return [[text], Array.from(text), ...places.map((at) => [text.slice(0, at), text.slice(at)])];
}
