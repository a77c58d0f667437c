import type { ToolFacts } from '../lazy-tool.ts';
import description from './description.md';

export const EXEC_COMMAND_PARAMETERS = {
  type: 'object',
  properties: {
    cmd: { type: 'string', description: 'The command line to run.' },
    justification: {
      type: 'string',
      description: 'With require_escalated only: one sentence for the user on why the command must leave the sandbox.',
    },
    login: { type: 'boolean', description: 'Whether to run with the environment of a login shell. Default true.' },
    max_output_tokens: {
      type: 'number',
      description: 'The most tokens to return; the middle of longer output is cut.',
    },
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
    shell: { type: 'string', description: "The shell to run it with. Default: the user's." },
    tty: {
      type: 'boolean',
      description:
        'Whether it gets a terminal, so that write_stdin can type into it. Default false: it has no input and its output is a pipe.',
    },
    workdir: { type: 'string', description: 'The folder to run it in. Default: the working directory of the turn.' },
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
} as const satisfies ToolFacts;
