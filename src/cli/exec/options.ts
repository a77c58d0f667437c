import type { CommandHelp } from '../format-help.ts';
import { OFFLINE_OPTION } from '../offline-option.ts';

/** Options of `oxbow exec` and of its subcommands. */
export const execOptions = {
  model: { type: 'string', short: 'm', value: 'MODEL', help: 'The model to ask' },
  sandbox: {
    type: 'string',
    short: 's',
    value: 'MODE',
    values: ['read-only', 'workspace-write', 'danger-full-access'],
    help: 'What commands may touch: read-only, workspace-write or danger-full-access',
  },
  ask: { type: 'boolean', help: 'Ask on the terminal about actions that need your approval' },
  cd: { type: 'string', short: 'C', value: 'DIR', help: 'Work in this folder' },
  'add-dir': { type: 'string', multiple: true, value: 'DIR', help: 'Let commands write to this folder too' },
  worktree: { type: 'boolean', help: 'Work in a new git worktree, apart from your files' },
  config: { type: 'string', short: 'c', multiple: true, value: 'KEY=VALUE', help: 'Override a setting of config.toml' },
  account: { type: 'string', value: 'NAME', help: 'Use the sign-in of this account' },
  profile: {
    type: 'string',
    short: 'p',
    value: 'PROFILE',
    help: 'Use a profile of config.toml, or PROFILE.config.toml',
  },
  image: {
    type: 'string',
    short: 'i',
    multiple: true,
    value: 'FILE',
    help: 'Send an image with the prompt; several before --',
  },
  enable: { type: 'string', multiple: true, value: 'FEATURE', help: 'The same as -c features.FEATURE=true' },
  disable: { type: 'string', multiple: true, value: 'FEATURE', help: 'The same as -c features.FEATURE=false' },
  oss: { type: 'boolean', help: 'Ask a server on this machine; one that runs is found' },
  ...OFFLINE_OPTION,
  'local-provider': { type: 'string', value: 'NAME', help: 'Ask this server on this machine: ollama or lmstudio' },
  'input-format': {
    type: 'string',
    value: 'FORMAT',
    values: ['text', 'jsonl'],
    help: 'Format of standard input: text, or jsonl for many turns',
  },
  'output-schema': { type: 'string', value: 'FILE', help: 'A JSON schema that the final answer must match' },
  json: { type: 'boolean', help: 'Print events as JSON lines' },
  'experimental-json': { type: 'boolean' },
  'output-last-message': { type: 'string', short: 'o', value: 'FILE', help: 'Write the final answer to this file' },
  record: { type: 'string', value: 'FILE', help: 'Record the exchanges with the model in this file' },
  'strict-config': { type: 'boolean', help: 'Stop when a setting is unknown' },
  'ignore-user-config': { type: 'boolean', help: 'Leave out config.toml of the home; keys are still read there' },
  'ignore-rules': { type: 'boolean', help: 'Ignore the rules about commands' },
  'skip-git-repo-check': { type: 'boolean', help: 'Run even outside a git repository' },
  ephemeral: { type: 'boolean', help: 'Keep no record of the thread' },
  'max-requests': { type: 'string', value: 'N', help: 'Stop after N requests to the model' },
  'max-tokens': { type: 'string', value: 'N', help: 'Stop after N tokens' },
  'max-cost': { type: 'string', value: 'USD', help: 'Stop after spending this many US dollars' },
  timeout: { type: 'string', value: 'TIME', help: 'Stop after this time, such as 90s, 10m or 1h' },
  color: {
    type: 'string',
    value: 'WHEN',
    values: ['auto', 'always', 'never'],
    help: 'Use colours: auto, always or never',
  },
  raw: { type: 'boolean', help: 'Print texts as they came, also on a terminal: no Markdown, no wrapping' },
  debug: { type: 'boolean', help: 'Show the log on standard error' },
  'dangerously-bypass-approvals-and-sandbox': { type: 'boolean', help: 'The same as --sandbox danger-full-access' },
  yolo: { type: 'boolean' },
  last: { type: 'boolean', help: 'resume, fork: the newest thread of this folder' },
  all: { type: 'boolean', help: 'resume --last, fork --last: the newest thread of any folder' },
  at: { type: 'string', value: 'TURN', help: 'fork: continue after this turn, given by number or id' },
  uncommitted: { type: 'boolean', help: 'review: the uncommitted changes (the default)' },
  base: { type: 'string', value: 'BRANCH', help: 'review: the changes against a branch' },
  commit: { type: 'string', value: 'SHA', help: 'review: one commit' },
  title: { type: 'string', value: 'TEXT', help: 'review --commit: what the commit is about' },
  search: { type: 'boolean', help: 'The same as -c web_search="live"' },
  // Programs and people that come from Codex pass these options. codex-options.ts says what becomes of them; those that
  // it does not name have no effect in Codex either.
  'approve-for-me': { type: 'boolean' },
  'dangerously-bypass-hook-trust': { type: 'boolean' },
  'thread-source': { type: 'string' },
  'cyber-access-program': { type: 'string', values: ['standard', 'daybreak_blue', 'daybreak_red'] },
  'full-auto': { type: 'boolean' },
  remote: { type: 'string' },
  'remote-auth-token-env': { type: 'string' },
  'ask-for-approval': { type: 'string', short: 'a' },
  'no-alt-screen': { type: 'boolean' },
  'no-daemon': { type: 'boolean' },
  version: { type: 'boolean', short: 'V', help: 'Show the version' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const execHelp: CommandHelp = {
  usage: 'oxbow exec [options] [PROMPT] | resume ID [PROMPT] | fork ID [PROMPT] | review [PROMPT]',
  about: `Runs one turn and prints the final answer. Questions are asked only with --ask. Without a PROMPT, or with -, the prompt is
read from standard input. Input that is piped in besides a PROMPT is added to it. resume continues a thread.
fork starts a new thread with the turns of another. ID may be an id, the beginning of one, or a name. review
reviews changes.`,
  options: execOptions,
  threadAfter: { resume: 'threads', fork: 'threads' },
  example: 'oxbow exec -s workspace-write "make the failing test pass"',
  more: {
    'Exit codes': [
      '0  the turn was completed',
      '1  it failed or was interrupted, or the configuration is wrong',
      '2  wrong usage',
      '129, 143  SIGHUP or SIGTERM ended it',
    ],
  },
};
