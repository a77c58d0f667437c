import type { ToolFacts } from '../tool-entry.ts';
import description from './description.md';

const PARAMETERS = {
  type: 'object',
  properties: {
    input: {
      type: 'array',
      items: { type: 'string' },
      description:
        'Without session_id: the program to run and its arguments. With it: what to type, joined without spaces; empty only waits.',
    },
    session_id: { type: 'number', description: 'The session ID of a command that is still running.' },
    timeout_ms: { type: 'number', description: 'How long to wait for output. Default 1000.' },
  },
  required: ['input'],
  additionalProperties: false,
} as const;

export const unifiedExecFacts = {
  name: 'unified_exec',
  accepts: ['function'],
  spec: {
    type: 'function',
    name: 'unified_exec',
    description: description.trim(),
    strict: false,
    parameters: PARAMETERS,
  },
  parallel: true,
  offer: ({ command }) => command === 'unified_exec',
} as const satisfies ToolFacts;
