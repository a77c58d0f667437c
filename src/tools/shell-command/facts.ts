import type { ToolFacts } from '../lazy-tool.ts';
import description from './description.md';

const parameters = {
  type: 'object',
  properties: {
    command: { type: 'string', description: "The script to run in the user's shell." },
    justification: {
      type: 'string',
      description: 'With require_escalated only: one sentence for the user on why the command must leave the sandbox.',
    },
    login: { type: 'boolean', description: 'Whether to run with the environment of a login shell. Default true.' },
    prefix_rule: {
      type: 'array',
      items: { type: 'string' },
      description:
        'With require_escalated only: the first words of the command, such as ["npm", "install"]. The user may allow all commands that begin with them from now on.',
    },
    sandbox_permissions: {
      type: 'string',
      enum: ['use_default', 'require_escalated'],
      description: 'require_escalated asks to run outside the sandbox. Default use_default.',
    },
    timeout_ms: { type: 'number', description: 'After how many milliseconds it is killed. Default 10000.' },
    workdir: { type: 'string', description: 'The folder to run it in. Default: the working directory of the turn.' },
  },
  required: ['command'],
  additionalProperties: false,
} as const;

export const shellCommandFacts = {
  name: 'shell_command',
  accepts: ['function'],
  spec: { type: 'function', name: 'shell_command', description: description.trim(), strict: false, parameters },
  parallel: true,
} as const satisfies ToolFacts;
