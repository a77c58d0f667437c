import { COMMAND_PARAMETERS } from '../command-parameters.ts';
import type { ToolFacts } from '../tool-entry.ts';
import description from './description.md';

const parameters = {
  type: 'object',
  properties: {
    command: { type: 'string', description: "The script to run in the user's shell." },
    justification: COMMAND_PARAMETERS.justification,
    login: COMMAND_PARAMETERS.login,
    prefix_rule: COMMAND_PARAMETERS.prefix_rule,
    sandbox_permissions: COMMAND_PARAMETERS.sandbox_permissions,
    timeout_ms: { type: 'number', description: 'After how many milliseconds it is killed. Default 10000.' },
    workdir: COMMAND_PARAMETERS.workdir,
  },
  required: ['command'],
  additionalProperties: false,
} as const;

export const shellCommandFacts = {
  name: 'shell_command',
  accepts: ['function'],
  spec: { type: 'function', name: 'shell_command', description: description.trim(), strict: false, parameters },
  parallel: true,
  offer: ({ command }) => command === 'shell_command',
} as const satisfies ToolFacts;
