import type { CommandEntry, OptionEntry, OptionValue } from './completion-table.ts';

/**
 * Returns the completions for bash 3.2 and later. Bash takes a colon for the end of a word, though models have colons in
 * their names: the pieces of such a word are put together first, and only the last piece is replaced.
 */
export function bashCompletion(commands: readonly CommandEntry[], own: readonly OptionEntry[]): string {
  const names = commands.map(({ name }) => name);
  return `# bash completion for oxbow
_oxbow() {
  local at=$COMP_CWORD word=\${COMP_WORDS[COMP_CWORD]} before words='' list=-W head=''
  COMPREPLY=()
  while [ "$at" -gt 1 ] && { [ "\${COMP_WORDS[at]}" = : ] || [ "\${COMP_WORDS[at-1]}" = : ]; }; do
    at=$((at-1))
    word=\${COMP_WORDS[at]}$word
  done
  [ "$at" -eq "$COMP_CWORD" ] || head=\${word%"\${word##*:}"}
  before=\${COMP_WORDS[at-1]}
  if [ "$at" -eq 1 ]; then
    words='${[...names, ...own.map(({ long }) => `--${long}`)].join(' ')}'
  else
    case \${COMP_WORDS[1]} in
${[...commands, withoutCommand(own)].map(commandCase).join('')}    esac
  fi
  local IFS=$' \\t\\n'
  case $list in
    -W) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    -*)
      compopt -o filenames 2>/dev/null
      IFS=$'\\n'
      COMPREPLY=($(compgen "$list" -- "$word")) ;;
    *) _oxbow_ask "$list" "$word" "$head" ;;
  esac
}
_oxbow_ask() {
  local typed=$2 text rest quote=''
  case $typed in
    [\\"\\']*) quote=\${typed:0:1} typed=\${typed:1} ;;
    *\\\\*) typed=\${typed//\\\\/} ;;
  esac
  while IFS=$'\\t' read -r text rest; do
    text=\${text#"$3"}
    [ -n "$quote" ] || text=$(printf %q "$text")
    COMPREPLY+=("$text")
  done < <(oxbow completion --candidates "$1" -- "$typed" 2>/dev/null)
}
complete -F _oxbow oxbow
`;
}

/** Returns the entry for a line that begins with an option. */
const withoutCommand = (own: readonly OptionEntry[]): CommandEntry => ({
  name: '-*',
  summary: '',
  words: [],
  options: own,
  threadAfter: [],
});

function commandCase({ name, words, options, threadAfter }: CommandEntry): string {
  const offered = [...words, ...options.map(({ long }) => `--${long}`)];
  const values = [
    valueCase(options, 'folders', 'list=-d'),
    valueCase(options, 'files', 'list=-f'),
    valueCase(options, 'profiles', 'list=profiles'),
    valueCase(options, 'models', 'list=models'),
    ...options.map(choiceCase),
    valueCase(options, 'nothing', 'return'),
    ...threadAfter.map(([list, after]) => threadCase(list, after)),
  ];
  const first = values.join('');
  return `      ${name})
        words='${offered.join(' ')}'
${first === '' ? '' : `        case $before in\n${first}        esac\n`}        ;;
`;
}

/** Returns the case for words that a thread follows. Options may follow them as well. */
function threadCase(list: string, after: readonly string[]): string {
  return `          ${after.join('|')}) case $word in -*) ;; *) list=${list} ;; esac ;;\n`;
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
