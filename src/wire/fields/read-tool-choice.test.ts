import { expect, test } from 'vitest';
import { UserError } from '../../base/errors.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { readToolChoice } from './read-tool-choice.ts';

const tools: ToolSpec[] = [
  { type: 'function', name: 'f', description: '', strict: false, parameters: {} },
  { type: 'custom', name: 'g', description: '' },
  { type: 'namespace', name: 'n', tools: [] },
  { type: 'web_search' },
];
const named = (type: 'function' | 'custom', name: string) => ({ type, name });

test.each([
  [undefined, 'auto'],
  [null, 'auto'],
  ['none', 'none'],
  ['required', 'required'],
  [named('function', 'f'), named('function', 'f')],
  [{ type: 'function', function: { name: 'f' } }, named('function', 'f')],
  [{ type: 'custom', custom: { name: 'g' } }, named('custom', 'g')],
  [named('custom', 'g'), named('custom', 'g')],
  ['any', 'required'],
  [{ type: 'web_search_preview' }, 'auto'],
  [{ type: 'mcp', server_label: 's' }, 'auto'],
  [{ type: 'hologram' }, 'auto'],
  [{}, 'auto'],
])('%j leaves all tools and means %j', (value, toolChoice) => {
  expect(readToolChoice(value, tools)).toEqual({ toolChoice, tools });
});

test('a choice of the only tool is a demand', () => {
  const search: ToolSpec[] = [{ type: 'web_search' }];
  expect(readToolChoice({ type: 'web_search' }, search)).toEqual({ toolChoice: 'required', tools: search });
  expect(readToolChoice({ type: 'file_search' }, search)).toEqual({ toolChoice: 'auto', tools: search });
});

test('tools that are not allowed are left out, for the forms of both wires', () => {
  const allowed = { mode: 'required', tools: [named('function', 'f'), { type: 'web_search' }] };
  const left = { toolChoice: 'required', tools: [tools[0], tools[3]] };
  expect(readToolChoice({ type: 'allowed_tools', ...allowed }, tools)).toEqual(left);
  expect(readToolChoice({ type: 'allowed_tools', allowed_tools: allowed }, tools)).toEqual(left);
  const nested = {
    mode: 'auto',
    tools: [
      { type: 'custom', custom: { name: 'g' } },
      { type: 'namespace', name: 'n' },
    ],
  };
  expect(readToolChoice({ type: 'allowed_tools', allowed_tools: nested }, tools)).toEqual({
    toolChoice: 'auto',
    tools: [tools[1], tools[2]],
  });
  expect(readToolChoice({ type: 'allowed_tools' }, tools)).toEqual({ toolChoice: 'auto', tools });
});

test.each([
  ['some', 'The field tool_choice of the request must be "auto", "none", "required" or an object that names a tool.'],
  [5, 'The field tool_choice of the request must be "auto", "none", "required" or an object that names a tool.'],
  [{ type: 'function' }, 'The field tool_choice.name of the request must be a string.'],
  [{ type: 'custom', custom: {} }, 'The field tool_choice.custom.name of the request must be a string.'],
])('%j is refused', (value, sentence) => {
  expect(() => readToolChoice(value, tools)).toThrow(new UserError('invalid_input', sentence));
});
