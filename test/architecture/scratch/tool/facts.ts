import type { ToolFacts } from '../../../../src/tools/tool-entry.ts';

export const SCRATCH_PARAMETERS = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
} as const;

export const scratchFacts = {
  name: 'scratch_echo',
  accepts: ['function'],
  spec: {
    type: 'function',
    name: 'scratch_echo',
    description: 'Prints a text.',
    strict: false,
    parameters: SCRATCH_PARAMETERS,
  },
  parallel: true,
  offer: () => true,
} as const satisfies ToolFacts;
