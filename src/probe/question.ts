import type { Item, MessageItem, Role } from '../base/item.ts';
import type { ModelRequest } from '../base/model.ts';
import type { FunctionSpec } from '../base/tool.ts';
import type { Compat } from '../base/wire.ts';
import type { Wire } from '../wire/edge/wire.ts';
import type { Fields } from '../wire/fields/request-fields.ts';

/** A small request of a probe. Everything that it leaves out is as the agent would send it. */
export interface ProbeQuestion extends Partial<Omit<ModelRequest, 'input'>> {
  readonly input: readonly Item[];
  /** The wire to ask over, instead of the chosen one. */
  readonly wire?: Wire;
  /** Settings to try, over those that are known to be right. */
  readonly compat?: Partial<Compat>;
  /** Changes the encoded body, for forms that only clients of a gateway send. */
  readonly edit?: (body: Fields, wire: Wire) => Fields;
}

/** Most tokens of an answer. Models that think need some for that. */
const MAX_TOKENS = 1024;

/** Returns the whole request of a question. */
export function requestOf(question: ProbeQuestion, model: string): ModelRequest {
  const { wire: _wire, compat: _compat, edit: _edit, ...asked } = question;
  return {
    model,
    instructions: INSTRUCTIONS,
    tools: [],
    toolChoice: 'auto',
    parallelToolCalls: true,
    reasoning: {},
    store: false,
    include: [],
    ...asked,
    sampling: { maxOutputTokens: MAX_TOKENS, ...asked.sampling },
  };
}

const INSTRUCTIONS = 'You are being tested. Do exactly what the user asks, in as few words as possible.';

export function message(role: Role, text: string): MessageItem {
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  return { type: 'message', role, content: [{ type, text }] };
}

/** The tool that the model is asked to call. */
export const ADD: FunctionSpec = {
  type: 'function',
  name: 'add_numbers',
  description: 'Adds two whole numbers.',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      a: { type: 'integer', description: 'First number' },
      b: { type: 'integer', description: 'Second number' },
      note: { type: 'string', description: 'Any text' },
    },
    required: ['a', 'b'],
    additionalProperties: false,
  },
};

/** A second tool, so that a choice among tools means something. */
export const GREET: FunctionSpec = {
  type: 'function',
  name: 'greet_person',
  description: 'Greets a person.',
  strict: false,
  parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};

/** All requests with tools share one list, because encoders remember lists. */
export const TOOLS: readonly FunctionSpec[] = [ADD, GREET];
