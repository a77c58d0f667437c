import type { ToolFacts } from '../tool-entry.ts';
import description from './description.md';

const parameters = {
  type: 'object',
  properties: {
    command: { type: 'array', items: { type: 'string' }, description: 'The command to execute.' },
    workdir: { type: 'string', description: 'The working directory to execute the command in.' },
    timeout_ms: { type: 'number', description: 'The timeout for the command in milliseconds.' },
    with_escalated_permissions: { type: 'boolean', description: 'Whether to request escalated permissions.' },
    justification: {
      type: 'string',
      description: 'A justification for running with escalated permissions.',
    },
  },
  required: ['command'],
  additionalProperties: false,
} as const;

export const shellFacts = {
  name: 'shell',
  aliases: ['container.exec'],
  accepts: ['function'],
  spec: { type: 'function', name: 'shell', description: description.trim(), strict: false, parameters },
  parallel: true,
  offer: ({ command }) => command === 'shell',
} as const satisfies ToolFacts;
