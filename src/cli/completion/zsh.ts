import type { CommandEntry, OptionEntry, OptionValue } from './completion-table.ts';

/** Returns the completions for zsh, to be sourced or to be saved as `_oxbow` in a folder of `fpath`. */
export function zshCompletion(commands: readonly CommandEntry[], own: readonly OptionEntry[]): string {
  const rows = commands.map(({ name, summary }) => `    ${quote(`${name}:${summary.replaceAll(':', '\\:')}`)}\n`);
  return `#compdef oxbow
# zsh completion for oxbow
_oxbow() {
  local -a commands
  commands=(
${rows.join('')}  )
  if [[ $words[2] = -* ]]; then
    _arguments \\
${own.map((option) => `      ${optionSpec(option)}`).join(' \\\n')}
    return
  fi
  if (( CURRENT == 2 )); then
    _describe -t commands 'command' commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${commands.map(commandCase).join('')}  esac
}
_oxbow_ask() {
  local line
  local -a rows
  for line in \${(f)"$(oxbow completion --candidates $1 -- "\${(Q)PREFIX}" 2>/dev/null)"}; do
    rows+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe -V -t $1 $1 rows
}
if [ "$funcstack[1]" = _oxbow ]; then
  _oxbow "$@"
else
  compdef _oxbow oxbow
fi
`;
}

function commandCase({ name, words, options, threadAfter }: CommandEntry): string {
  const specs = [...options.map(optionSpec), ...(words.length === 0 ? [] : [quote(`1:${name}:(${words.join(' ')})`)])];
  if (specs.length === 0) return `    ${name}) ;;\n`;
  const lines = specs.map((spec) => `        ${spec}`);
  return `    ${name})\n${threadCases(threadAfter)}      _arguments \\\n${lines.join(' \\\n')} ;;\n`;
}

/** Returns the part for words that a thread follows. Options may follow them as well. */
function threadCases(threadAfter: CommandEntry['threadAfter']): string {
  const cases = threadAfter.map(
    ([list, after]) => `        ${after.join('|')}) [[ $PREFIX = -* ]] || { _oxbow_ask ${list}; return } ;;\n`,
  );
  return cases.length === 0 ? '' : `      case $words[CURRENT-1] in\n${cases.join('')}      esac\n`;
}

function optionSpec({ long, short, help, multiple, value }: OptionEntry): string {
  const text = `[${help.replace(/[[\]\\:]/g, '\\$&')}]${value === null ? '' : `:${value.name}:${actionOf(value)}`}`;
  if (short === undefined) return quote(`${multiple ? '*' : ''}--${long}${text}`);
  const exclusion = multiple ? '*' : `(-${short} --${long})`;
  return `${quote(exclusion)}{-${short},--${long}}${quote(text)}`;
}

function actionOf({ lists, values }: OptionValue): string {
  return values.length === 0 ? ACTIONS[lists] : `(${values.join(' ')})`;
}

/** The space before a function of ours keeps zsh from passing it options of its own. */
const ACTIONS: Readonly<Record<OptionValue['lists'], string>> = {
  files: '_files',
  folders: '_files -/',
  nothing: ' ',
  profiles: ' _oxbow_ask profiles',
  models: ' _oxbow_ask models',
};

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
