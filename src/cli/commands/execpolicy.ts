import { type CheckResult, checkCommand } from '../../app/commands/check-command.ts';
import { visibleLine } from '../../base/visible-text.ts';
import { quoteArgv } from '../../shell/quote.ts';
import { printable } from '../../text/visible.ts';
import { formatHelp } from '../format-help.ts';
import { print } from '../output.ts';
import { parseOptions, UsageError } from '../parse-options.ts';
import { ORIGINS } from '../wording.ts';

const options = {
  rules: {
    type: 'string',
    short: 'r',
    multiple: true,
    value: 'FILE',
    help: 'Use this file instead of the configured rules',
  },
  json: { type: 'boolean', help: 'Print a JSON object with matchedRules and decision' },
  pretty: { type: 'boolean', help: 'Print the JSON object on several lines' },
  cd: { type: 'string', short: 'C', value: 'DIR', help: 'Use the rules of this folder' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow execpolicy check [options] -- COMMAND…',
  about:
    'Prints the rules that match a command, and their decision: allow, prompt or forbidden. Nothing is run. A shell\nscript is split into its commands where possible.',
  options,
  example: 'oxbow execpolicy check --rules team.rules -- git push --force',
};

/** Runs `oxbow execpolicy check`, which prints the rules that match a command. */
export async function run(argv: readonly string[]): Promise<number> {
  const end = argv.indexOf('--');
  const { values, positionals } = parseOptions('execpolicy', options, end < 0 ? argv : argv.slice(0, end));
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  const [word, ...command] = [...positionals, ...(end < 0 ? [] : argv.slice(end + 1))];
  if (word !== 'check' || command.length === 0)
    throw new UsageError('Name a command: oxbow execpolicy check -- git push. See oxbow execpolicy --help.');
  const { notices, ...checked } = checkCommand(command, {
    files: values.rules ?? [],
    origins: ORIGINS,
    ...(values.cd === undefined ? {} : { cwd: values.cd }),
  });
  for (const notice of notices) process.stderr.write(`warning: ${printable(notice)}\n`);
  const text = values.json || values.pretty ? JSON.stringify(checked, null, values.pretty ? 2 : 0) : describe(checked);
  print(`${text}\n`);
  return 0;
}

function describe({ matchedRules, decision }: Omit<CheckResult, 'notices'>): string {
  const lines = matchedRules.map(({ prefixRuleMatch: { matchedPrefix, decision: says, justification } }) => {
    const why = justification === undefined ? '' : `: ${justification}`;
    return visibleLine(`${says}  ${quoteArgv(matchedPrefix)}${why}`);
  });
  return [...lines, decision === undefined ? 'No rule matches.' : `decision: ${decision}`].join('\n');
}
