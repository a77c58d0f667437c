import { describe, expect, test } from 'vitest';
import type { Frame } from '../base/wire.ts';
import { madeFrame } from '../wire/framing/frames.ts';
import { restoreNames } from './adapt-frames.ts';
import { RULES, type TestedRules } from './fixtures/adapted.ts';

const restoreName = (name: string) => (name === 'files_read' ? 'files.read' : name);

function restored(wire: TestedRules, value: unknown, event?: string): Frame {
  const data = JSON.stringify(value);
  return restoreNames(RULES[wire], restoreName)(event === undefined ? { data } : { event, data });
}

const call = (name: string) => ({ index: 0, id: 'c1', type: 'function', function: { name, arguments: '' } });

describe('chat chunks', () => {
  const chunk = (delta: object) => ({ id: 'x', choices: [{ index: 0, delta, finish_reason: null }], more: 1 });

  test('have the names of their calls mapped back', () => {
    const frame = restored('chat', chunk({ tool_calls: [call('files_read'), call('shell')] }));
    expect(JSON.parse(frame.data)).toEqual(chunk({ tool_calls: [call('files.read'), call('shell')] }));
    expect(frame.json).toEqual(JSON.parse(frame.data));
  });

  test('may be a whole answer, or have calls in other forms', () => {
    const message = { role: 'assistant', tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'files_read' } }] };
    const body = { choices: [{ message }, { delta: { function_call: { name: 'files_read' } } }, null] };
    expect(JSON.stringify(restored('chat', body).json)).toBe(
      JSON.stringify(body).replaceAll('files_read', 'files.read'),
    );
  });

  test.each([
    JSON.stringify(chunk({ content: 'files_read' })),
    ` ${JSON.stringify(chunk({ tool_calls: [call('shell')] }))}`,
    JSON.stringify(chunk({ content: '"name":"files_read"' })),
    '[DONE]',
    '{"name":"files_read"',
    '{"name":"files_read"}',
  ])('keep their bytes if nothing was mapped: %s', (data) => {
    expect(restoreNames(RULES.chat, restoreName)({ data }).data).toBe(data);
  });

  test('are not serialised to be inspected', () => {
    const quiet = madeFrame({ choices: [] });
    expect(restoreNames(RULES.chat, restoreName)(quiet)).toBe(quiet);
    const called = restoreNames(RULES.chat, restoreName)(madeFrame(chunk({ tool_calls: [call('files_read')] })));
    expect(called.data).toContain('"files.read"');
  });
});

describe('Responses events', () => {
  const item = { type: 'function_call', name: 'files_read', namespace: 'files_read', call_id: 'c1', arguments: '{}' };
  const custom = { type: 'custom_tool_call', name: 'files_read', call_id: 'c2', input: 'files_read.' };

  test.each<[string, object]>([
    ['response.output_item.added', { item }],
    ['response.output_item.done', { item: custom }],
    ['response.function_call_arguments.done', { name: 'files_read', arguments: '{}' }],
    [
      'response.completed',
      {
        response: {
          output: [item],
          tools: [{ type: 'function', name: 'files_read' }],
          tool_choice: { name: 'files_read' },
        },
      },
    ],
  ])('have names mapped back in %s', (type, fields) => {
    const frame = restored('responses', { type, ...fields }, type);
    expect(frame.event).toBe(type);
    expect(frame.data).toBe(JSON.stringify({ type, ...fields }).replaceAll('"files_read"', '"files.read"'));
  });

  test('may be a whole response', () => {
    const body = { id: 'resp_1', object: 'response', output: [item, { type: 'message', name: 'files_read' }] };
    expect(restored('responses', body).json).toMatchObject({
      output: [{ name: 'files.read' }, { type: 'message', name: 'files_read' }],
    });
  });

  test('keep their bytes if nothing was mapped', () => {
    const data = '{"type":"response.output_text.delta", "delta":"\\"name\\":\\"files_read\\"","name":"files_read"}';
    expect(restoreNames(RULES.responses, restoreName)({ data }).data).toBe(data);
  });
});
