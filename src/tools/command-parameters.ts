/** Parameters that several command tools share. Each tool describes them in its own words. */
export const COMMAND_PARAMETERS = {
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
  workdir: { type: 'string', description: 'The folder to run it in. Default: the working directory of the turn.' },
} as const;
