import { expect, test } from 'vitest';
import type { CommandModule, CommandTable } from '../command.ts';
import { bashCompletion } from './bash.ts';
import { completionTable, optionEntries } from './completion-table.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

const command = (summary: string, help?: CommandModule['help']) => ({
  summary,
  load: async () => ({ run: async () => 0, ...(help ? { help } : {}) }),
});

const TABLE: CommandTable = {
  plain: command("It's plain: no options"),
  mow: command('Cut grass', {
    usage: 'oxbow mow north|south [options] [LAWN]',
    about: '',
    example: '',
    options: {
      height: { type: 'string', short: 'H', value: 'CM', help: "The grass's height [in cm]: a number" },
      into: { type: 'string', value: 'DIR', help: 'A folder', multiple: true },
      log: { type: 'string', short: 'l', value: 'FILE', help: 'A file' },
      quick: { type: 'boolean', help: 'Run' },
      secret: { type: 'boolean' },
      profile: { type: 'string', short: 'p', value: 'PROFILE', help: 'A profile' },
      model: { type: 'string', value: 'MODEL', help: 'A model' },
    },
    threadAfter: { north: 'threads', mow: 'threads', south: 'archived' },
  }),
};

const OWN = optionEntries([
  ['into', { type: 'string', short: 'C', value: 'DIR', help: 'A folder' }],
  ['plain', { type: 'boolean', help: 'No colours' }],
  ['hidden', { type: 'boolean' }],
]);

test('the table has the options of the help', async () => {
  const [plain, mow] = await completionTable(TABLE);
  expect(plain).toEqual({ name: 'plain', summary: "It's plain: no options", words: [], options: [], threadAfter: [] });
  expect(mow?.words).toEqual(['north', 'south']);
  expect(mow?.options.map(({ long, value }) => [long, value?.lists ?? null])).toEqual([
    ['height', 'nothing'],
    ['into', 'folders'],
    ['log', 'files'],
    ['quick', null],
    ['profile', 'profiles'],
    ['model', 'models'],
  ]);
  expect(mow?.threadAfter).toEqual([
    ['threads', ['north', 'mow']],
    ['archived', ['south']],
  ]);
});

test('the options of verbs are completed too, each once', async () => {
  const options = (quick: string) => ({ quick: { type: 'boolean', help: quick } }) as const;
  const verb = (more: NonNullable<CommandModule['help']>['options']) => ({
    summary: '',
    load: async () => ({ run: async () => 0, help: { usage: '', about: '', example: '', options: more } }),
  });
  const verbs = {
    a: verb(options('first')),
    b: verb({ ...options('second'), slow: { type: 'boolean', help: 'Walk' } }),
  };
  const [entry] = await completionTable({
    go: { summary: 'Go', load: async () => ({ run: async () => 0, verbs }) },
  });
  expect(entry?.options.map(({ long, help }) => [long, help])).toEqual([
    ['quick', 'first'],
    ['slow', 'Walk'],
  ]);
});

test('bash', async () => {
  const script = bashCompletion(await completionTable(TABLE), OWN);
  expect(script).toContain("words='plain mow --into --plain'");
  expect(script).toContain(`      -*)
        words='--into --plain'
        case $before in
          -C|--into) list=-d ;;
        esac
        ;;`);
  expect(script).toContain(`      mow)
        words='north south --height --into --log --quick --profile --model'
        case $before in
          --into) list=-d ;;
          -l|--log) list=-f ;;
          -p|--profile) list=profiles ;;
          --model) list=models ;;
          -H|--height) return ;;
          north|mow) case $word in -*) ;; *) list=threads ;; esac ;;
          south) case $word in -*) ;; *) list=archived ;; esac ;;
        esac
        ;;`);
});

test('zsh', async () => {
  const script = zshCompletion(await completionTable(TABLE), OWN);
  expect(script).toMatch(/^#compdef oxbow\n/);
  expect(script).toContain(`  if [[ $words[2] = -* ]]; then
    _arguments \\
      '(-C --into)'{-C,--into}'[A folder]:DIR:_files -/' \\
      '--plain[No colours]'
    return
`);
  expect(script).toContain(`'plain:It'\\''s plain\\: no options'`);
  expect(script).toContain(`    plain) ;;
    mow)
      case $words[CURRENT-1] in
        north|mow) [[ $PREFIX = -* ]] || { _oxbow_ask threads; return } ;;
        south) [[ $PREFIX = -* ]] || { _oxbow_ask archived; return } ;;
      esac
      _arguments \\
        '(-H --height)'{-H,--height}'[The grass'\\''s height \\[in cm\\]\\: a number]:CM: ' \\
        '*--into[A folder]:DIR:_files -/' \\
        '(-l --log)'{-l,--log}'[A file]:FILE:_files' \\
        '--quick[Run]' \\
        '(-p --profile)'{-p,--profile}'[A profile]:PROFILE: _oxbow_ask profiles' \\
        '--model[A model]:MODEL: _oxbow_ask models' \\
        '1:mow:(north south)' ;;
`);
});

test('fish', async () => {
  const lines = fishCompletion(await completionTable(TABLE), OWN).split('\n');
  expect(lines).toContain("complete -c oxbow -n __fish_use_subcommand -a plain -d 'It\\'s plain: no options'");
  const first = 'complete -c oxbow -n __fish_use_subcommand';
  expect(lines).toContain(`${first} -s C -l into -x -a '(__fish_complete_directories)' -d 'A folder'`);
  expect(lines).toContain(`${first} -l plain -d 'No colours'`);
  const behind = "complete -c oxbow -n '__fish_seen_subcommand_from mow'";
  expect(lines.filter((line) => line.startsWith(behind))).toEqual([
    `${behind} -a 'north south'`,
    `${behind} -s H -l height -x -d 'The grass\\'s height [in cm]: a number'`,
    `${behind} -l into -x -a '(__fish_complete_directories)' -d 'A folder'`,
    `${behind} -s l -l log -r -F -d 'A file'`,
    `${behind} -l quick -d 'Run'`,
    `${behind} -s p -l profile -x -k -a '(__oxbow_ask profiles)' -d 'A profile'`,
    `${behind} -l model -x -k -a '(__oxbow_ask models)' -d 'A model'`,
  ]);
  const after = "complete -c oxbow -n '__fish_seen_subcommand_from mow; and __fish_prev_arg_in";
  expect(lines).toContain(`${after} north mow' -k -a '(__oxbow_ask threads)'`);
  expect(lines).toContain(`${after} south' -k -a '(__oxbow_ask archived)'`);
});
