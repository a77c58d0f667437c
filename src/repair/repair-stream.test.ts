import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Item } from '../base/item.ts';
import type { ModelRequest } from '../base/model.ts';
import type { ToolSpec } from '../base/tool.ts';
import { DEFAULT_COMPAT, type StreamRepair } from '../base/wire.ts';
import { repairStream } from './repair-stream.ts';

const ADD: ToolSpec = { type: 'function', name: 'add', description: '', parameters: { type: 'object' }, strict: false };

/** Opens the repair of a response, and returns the items of its request that are still in memory. */
async function itemsKept(tools: readonly ToolSpec[]): Promise<readonly string[]> {
  const input = new Map(Object.entries(INPUT).map(([name, make]) => [name, make()]));
  const refs = Array.from(input, ([name, item]) => [name, new WeakRef(item)] as const);
  const repair = opened([...input.values()], tools);
  input.clear();
  await new Promise((done) => setImmediate(done));
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  repair.end();
  return refs.flatMap(([name, ref]) => (ref.deref() === undefined ? [] : [name]));
}

const INPUT: Readonly<Record<string, () => Item>> = {
  question: () => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Add.' }] }),
  picture: () => ({ type: 'message', role: 'user', content: [{ type: 'input_image', image_url: 'data:,' }] }),
  thought: () => ({ type: 'reasoning', summary: [], content: null, encrypted_content: 'sealed' }),
  call: () => ({ type: 'function_call', name: 'add', arguments: '{}', call_id: 'c1' }),
  output: () => ({ type: 'function_call_output', call_id: 'c1', output: '3' }),
  answer: () => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '3' }] }),
};

function opened(input: readonly Item[], tools: readonly ToolSpec[]): StreamRepair {
  const request: Pick<ModelRequest, 'instructions' | 'input' | 'tools' | 'toolChoice'> = {
    instructions: '',
    input,
    tools,
    toolChoice: 'auto',
  };
  return repairStream('chat', {
    request,
    compat: DEFAULT_COMPAT,
    memory: { startsThinking: false },
    onRepair: () => {},
  });
}

test('an answer keeps only the items of its request that a call in its text may repeat', async () => {
  expect(await itemsKept([ADD])).toEqual(['question', 'output']);
});

test('an answer to a request without tools keeps no item', async () => {
  expect(await itemsKept([])).toEqual([]);
});
