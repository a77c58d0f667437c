import type { CommandEntry, OptionEntry, OptionValue } from './completion-table.ts';

/** Returns the completions for bash 3.2 and later. */
export function bashCompletion(commands: readonly CommandEntry[]): string {
  const names = commands.map(({ name }) => name);
  return `# bash completion for oxbow
_oxbow() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words='' list=-W
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${[...names, '--help', '--version'].join(' ')}'
  else
    case \${COMP_WORDS[1]} in
${commands.map(commandCase).join('')}    esac
  fi
  local IFS=$' \\t\\n'
  case $list in
    -W) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *)
      compopt -o filenames 2>/dev/null
      IFS=$'\\n'
      COMPREPLY=($(compgen "$list" -- "$word")) ;;
  esac
}
complete -F _oxbow oxbow
`;
}

function commandCase({ name, words, options }: CommandEntry): string {
  const offered = [...words, ...options.map(({ long }) => `--${long}`)];
  const values = [
    valueCase(options, 'folders', 'list=-d'),
    valueCase(options, 'files', 'list=-f'),
    ...options.map(choiceCase),
    valueCase(options, 'nothing', 'return'),
  ];
  const first = values.join('');
  return `      ${name})
        words='${offered.join(' ')}'
${first === '' ? '' : `        case $before in\n${first}        esac\n`}        ;;
`;
}

/** Returns the case for options whose value is of one kind. */
function valueCase(options: readonly OptionEntry[], lists: OptionValue['lists'], action: string): string {
  const flags = options.filter(({ value }) => value?.lists === lists && value.values.length === 0).flatMap(flagsOf);
  return flags.length === 0 ? '' : `          ${flags.join('|')}) ${action} ;;\n`;
}

/** Returns the case for an option that takes only some values. */
function choiceCase(option: OptionEntry): string {
  const values = option.value?.values ?? [];
  return values.length === 0 ? '' : `          ${flagsOf(option).join('|')}) words='${values.join(' ')}' ;;\n`;
}

function flagsOf({ long, short }: OptionEntry): string[] {
  return [...(short === undefined ? [] : [`-${short}`]), `--${long}`];
}
