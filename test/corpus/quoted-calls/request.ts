import type { Item } from '../../../src/base/item.ts';
import type { ModelRequest } from '../../../src/base/model.ts';

export const TOOLS: ModelRequest['tools'] = [
  {
    type: 'function',
    name: 'exec_command',
    description: 'Runs a command.',
    strict: false,
    parameters: { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] },
  },
];

/** A request that offers `exec_command`, without its input. */
export const REQUEST: ModelRequest = {
  model: 'some-model',
  instructions: 'You call exec_command where a command is needed.',
  input: [],
  tools: TOOLS,
  toolChoice: 'auto',
  parallelToolCalls: true,
  reasoning: {},
  store: false,
  include: [],
};

/** Returns the input of a request: the message of a user. */
export function inputOf(read: string | undefined): readonly Item[] {
  const text = read ?? 'Tell me about it.';
  return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }];
}
