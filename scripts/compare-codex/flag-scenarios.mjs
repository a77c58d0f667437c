// Scenarios of flags. The name of each is its command line.
import { call, fault, reply, say } from '../../dist/testing.js';

const answers = () => reply(say('Done.'));
const resumed = { before: [{ args: ['exec', '--json', 'first'] }] };
const reviewed = {
  git: true,
  script: () =>
    reply(
      say(
        '{"findings":[],"overall_correctness":"patch is correct","overall_explanation":"Fine.","overall_confidence_score":1}',
      ),
    ),
};
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const images = { files: { 'a.png': PNG, 'b.png': PNG } };
const help = { show: 'flags' };
const writes = {
  script: (_request, n) => (n === 1 ? reply(call('exec_command', { cmd: 'touch made' })) : reply(say('Done.'))),
};

/** A provider on the command line, for a run that reads no file. */
const PROVIDER = ['name="s"', 'base_url="{url}"', 'wire_api="responses"', 'request_max_retries=0']
  .flatMap((field) => ['-c', `model_providers.s.${field}`])
  .concat('-c', 'model_provider="s"');

/** Scenarios as [command line, details]. A word in braces is filled in. */
const LINES = [
  ['exec hello', { header: true }],
  ['exec hello (no effort set)', { args: ['exec', 'hello'], config: { model_reasoning_effort: undefined } }],
  [
    'exec hello (status 400)',
    { args: ['exec', 'hello'], script: () => fault.status(400, { error: { message: 'no' } }) },
  ],
  ['e hello'],
  ['exec -m other hello', { header: true }],
  ['-m other exec hello'],
  ['-c model="other" exec hello'],
  ['exec -c model="other" hello'],
  ['exec -c model_reasoning_effort="high" hello'],
  ['exec -c model=other -m third hello'],
  ['exec -c novalue hello'],
  ['exec -p fast hello', { homeFiles: { 'fast.config.toml': 'model = "fast-model"\n' } }],
  ['exec -p nowhere hello'],
  ['exec -s workspace-write hello', { ...writes, config: { sandbox_mode: 'read-only' } }],
  ['exec -s everything hello'],
  ['exec -C sub hello', { files: { 'sub/a': '' }, ...writes }],
  ['exec -C nowhere hello'],
  ['exec -C {temporary} hello'],
  ['exec --skip-git-repo-check -C {temporary} hello'],
  ['exec --add-dir {temporary} hello'],
  ['exec --dangerously-bypass-approvals-and-sandbox hello', { ...writes, config: { sandbox_mode: 'read-only' } }],
  ['exec --dangerously-bypass-approvals-and-sandbox -s read-only hello'],
  ['exec --dangerously-bypass-hook-trust hello'],
  ['exec --approve-for-me hello'],
  ['exec --ephemeral hello'],
  ['exec --ignore-rules hello'],
  [
    'exec --ignore-user-config hello',
    { args: ['exec', '--ignore-user-config', '-m', 'other', ...PROVIDER, 'hello'], config: { model: 'of the file' } },
  ],
  ['exec --strict-config hello'],
  [
    'exec --strict-config hello (an unknown key)',
    { config: { no_such_key: 1 }, args: ['exec', '--strict-config', 'hello'] },
  ],
  ['exec --enable unified_exec hello'],
  ['exec --disable unified_exec hello'],
  ['exec --enable no_such_feature hello'],
  ['exec --oss --local-provider nobody hello'],
  [
    'exec --oss hello (no local server)',
    {
      args: ['exec', '--oss', '--local-provider', 'ollama', 'hello'],
      env: { CODEX_OSS_PORT: '9', OLLAMA_HOST: '127.0.0.1:9' },
    },
  ],
  ['exec --worktree hello', { git: true }],
  ['exec --thread-source user hello'],
  ['exec --cyber-access-program standard hello'],
  ['exec --cyber-access-program other hello'],
  ['exec -i a.png b.png -- hello', images],
  ['exec -i a.png,b.png hello', images],
  ['exec hello -i a.png', images],
  ['exec -i nowhere.png -- hello'],
  ['exec --output-schema nowhere.json hello'],
  ['exec --output-schema bad.json hello', { files: { 'bad.json': '{' } }],
  ['exec -o answer.txt hello'],
  ['exec --output-last-message nowhere/answer.txt hello'],
  ['exec --color always hello'],
  ['exec --color pink hello'],
  ['exec --json --color never hello'],
  ['exec'],
  ['exec (a prompt on standard input)', { args: ['exec'], stdin: 'typed\n' }],
  ['exec - (a prompt on standard input)', { args: ['exec', '-'], stdin: 'typed\n' }],
  ['exec hello (and more on standard input)', { args: ['exec', 'hello'], stdin: 'more\n' }],
  ['exec one two'],
  ['exec --no-such-flag hello'],
  ['exec --modle x hello'],
  ['exec -m'],
  ['exec --json --json hello'],
  ['exec -h', help],
  ['exec --help', help],
  ['exec help', help],
  ['help exec', help],
  ['exec help resume', help],
  ['exec resume --help', help],
  ['exec review --help', help],
  ['exec -V', { show: 'version' }],
  ['--version', { show: 'version' }],
  ['exec resume {thread} hello', resumed],
  ['exec resume --last hello', resumed],
  ['exec resume --last --all hello', resumed],
  ['exec resume --last -m other hello', resumed],
  ['exec resume --last -i a.png -- hello', { ...resumed, ...images }],
  ['exec -m other resume --last hello', resumed],
  ['exec resume no-such-thread hello', resumed],
  ['exec resume 01a1e5ac-0000-7000-8000-000000000000 hello', resumed],
  ['exec resume', resumed],
  ['exec resume --last hello (no thread)', { args: ['exec', 'resume', '--last', 'hello'] }],
  ['exec fork {thread} hello', resumed],
  ['exec review', reviewed],
  ['exec review --uncommitted', reviewed],
  ['exec review --base base', reviewed],
  ['exec review --commit HEAD', reviewed],
  ['exec review --commit HEAD --title second', reviewed],
  ['exec review --uncommitted -m other', reviewed],
  ['exec review look', reviewed],
  ['exec review --base base --commit HEAD', reviewed],
  ['exec review --title second', reviewed],
  ['exec review --json', reviewed],
];

/** Flags that `exec resume` and `exec review` have too. */
const SHARED = [
  '-c model="other"',
  '--enable unified_exec',
  '--disable unified_exec',
  '--strict-config',
  '--dangerously-bypass-approvals-and-sandbox',
  '--dangerously-bypass-hook-trust',
  '--worktree',
  '--thread-source user',
  '--cyber-access-program standard',
  '--skip-git-repo-check',
  '--ephemeral',
  '--ignore-rules',
  '--output-schema schema.json',
  '--json',
  '-o answer.txt',
];

const schema = { files: { 'schema.json': '{"type":"object","properties":{},"additionalProperties":false}' } };

const SHARED_LINES = SHARED.flatMap((flag) => [
  [`exec resume --last ${flag} hello`, { ...resumed, ...schema, git: flag === '--worktree' }],
  [`exec review --uncommitted ${flag}`, { ...reviewed, ...schema }],
]);

export const FLAG_SCENARIOS = [...LINES, ...SHARED_LINES].map(([name, details = {}]) => ({
  kind: 'flags',
  args: words(name),
  script: answers,
  ...details,
  name,
}));

/** Splits a command line at spaces. Quotes stay, since values of settings are TOML. */
function words(line) {
  return line.split(' ');
}
