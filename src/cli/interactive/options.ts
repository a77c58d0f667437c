import { execOptions } from '../exec/options.ts';
import type { CommandHelp } from '../format-help.ts';

const { model, sandbox, cd, config, account, profile, image, enable, disable, oss, offline, search, yolo } =
  execOptions;
const { version, help, last, all } = execOptions;

/** Options of `oxbow` itself, `oxbow resume` and `oxbow fork`. */
export const interactiveOptions = {
  model,
  sandbox,
  'ask-for-approval': {
    type: 'string',
    short: 'a',
    value: 'POLICY',
    values: ['untrusted', 'on-failure', 'on-request', 'never'],
    help: 'When you are asked: untrusted, on-failure, on-request or never',
  },
  cd,
  'add-dir': execOptions['add-dir'],
  config,
  account,
  profile,
  image,
  enable,
  disable,
  oss,
  'local-provider': execOptions['local-provider'],
  offline,
  search,
  plain: { type: 'boolean', help: 'Append whole lines only, for screen readers and simple terminals' },
  'strict-config': execOptions['strict-config'],
  'dangerously-bypass-approvals-and-sandbox': execOptions['dangerously-bypass-approvals-and-sandbox'],
  yolo,
  // Programs and people that come from Codex pass these. The terminal is always inline and has no daemon.
  'no-alt-screen': execOptions['no-alt-screen'],
  'no-daemon': execOptions['no-daemon'],
  last: { ...last, help: 'The newest thread of this folder' },
  all: { ...all, help: 'Include the threads of all folders' },
  at: { ...execOptions.at, help: 'Continue after this turn, given by number or id' },
  version,
  help,
} as const;

const { at: _at, ...resumeOptions } = interactiveOptions;
const { last: _last, all: _all, ...newOptions } = resumeOptions;

const more: CommandHelp['more'] = {
  'Exit codes': [
    '0  you left',
    '1  the configuration is wrong, or no terminal',
    '2  wrong usage',
    '129, 143  SIGHUP or SIGTERM',
  ],
};

const THREAD = 'THREAD may be an id, the beginning of one, or a name. Without it you choose from a list.';

/** Help of `oxbow` itself and of its commands that open the terminal. */
export const interactiveHelps: Readonly<Record<'new' | 'resume' | 'fork', CommandHelp>> = {
  new: {
    usage: 'oxbow [options] [PROMPT]',
    about: `Opens the agent in this terminal. Several words, or words after --, are the first prompt. In a pipe or a script, use
oxbow exec.`,
    options: newOptions,
    example: 'oxbow "what does this project do?"',
    more,
  },
  resume: {
    usage: 'oxbow resume [options] [THREAD] [PROMPT]',
    about: `Goes on with a thread in this terminal. ${THREAD}`,
    options: resumeOptions,
    threadAfter: { resume: 'threads' },
    example: 'oxbow resume --last',
    more,
  },
  fork: {
    usage: 'oxbow fork [options] [THREAD] [PROMPT]',
    about: `Goes on in a copy of a thread, in this terminal. ${THREAD}`,
    options: interactiveOptions,
    threadAfter: { fork: 'threads' },
    example: 'oxbow fork --last',
    more,
  },
};
