import { COMMAND_PARAMETERS } from '../command-parameters.ts';
import type { ToolFacts } from '../tool-entry.ts';
import description from './description.md';

export const EXEC_COMMAND_PARAMETERS = {
  type: 'object',
  properties: {
    cmd: { type: 'string', description: 'The command line to run.' },
    justification: COMMAND_PARAMETERS.justification,
    login: COMMAND_PARAMETERS.login,
    max_output_tokens: {
      type: 'number',
      description: 'The most tokens to return; the middle of longer output is cut.',
    },
    prefix_rule: COMMAND_PARAMETERS.prefix_rule,
    sandbox_permissions: COMMAND_PARAMETERS.sandbox_permissions,
    shell: { type: 'string', description: "The shell to run it with. Default: the user's." },
    tty: {
      type: 'boolean',
      description:
        'Whether it gets a terminal, so that write_stdin can type into it. Default false: it has no input and its output is a pipe.',
    },
    workdir: COMMAND_PARAMETERS.workdir,
    yield_time_ms: {
      type: 'number',
      description: 'How long to wait for the command before returning what it has printed so far. Default 10000.',
    },
  },
  required: ['cmd'],
  additionalProperties: false,
} as const;

export const execCommandFacts = {
  name: 'exec_command',
  accepts: ['function'],
  spec: {
    type: 'function',
    name: 'exec_command',
    description: description.trim(),
    strict: false,
    parameters: EXEC_COMMAND_PARAMETERS,
  },
  parallel: true,
  aborted: (seconds) => `Wall time: ${seconds.toFixed(1)} seconds\naborted by user`,
  offer: ({ command }) => command === 'exec_command',
} as const satisfies ToolFacts;
