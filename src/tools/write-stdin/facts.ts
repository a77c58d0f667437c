import type { ToolFacts } from '../tool-entry.ts';
import description from './description.md';

export const WRITE_STDIN_PARAMETERS = {
  type: 'object',
  properties: {
    chars: { type: 'string', description: 'What to type. Default empty: only wait for output.' },
    max_output_tokens: {
      type: 'number',
      description: 'The most tokens to return; the middle of longer output is cut.',
    },
    session_id: { type: 'number', description: 'The session ID that exec_command returned.' },
    yield_time_ms: {
      type: 'number',
      description: 'How long to wait for output. Default 250 after typing, 5000 without.',
    },
  },
  required: ['session_id'],
  additionalProperties: false,
} as const;

export const writeStdinFacts = {
  name: 'write_stdin',
  accepts: ['function'],
  spec: {
    type: 'function',
    name: 'write_stdin',
    description: description.trim(),
    strict: false,
    parameters: WRITE_STDIN_PARAMETERS,
  },
  parallel: true,
  offer: ({ command }) => command === 'exec_command',
} as const satisfies ToolFacts;
