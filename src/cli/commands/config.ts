import { isRecord } from '../../base/json-schema.ts';
import { type ExplainedSetting, explainConfig } from '../../config/explain-config.ts';
import { formatHelp } from '../format-help.ts';
import { createOutput, print } from '../output.ts';
import { parseOptions, UsageError } from '../parse-options.ts';
import { printable } from '../print/printable.ts';
import { ORIGINS } from '../wording.ts';

const options = {
  json: { type: 'boolean', help: 'Print a JSON array of objects with key, value and origin' },
  config: { type: 'string', short: 'c', multiple: true, value: 'KEY=VALUE', help: 'Override a setting of config.toml' },
  profile: { type: 'string', short: 'p', value: 'NAME', help: 'Use this profile' },
  cd: { type: 'string', short: 'C', value: 'DIR', help: 'Show the configuration for this folder' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow config [options]',
  about:
    'Prints every setting with its value and its origin: a file, a variable, the command line or the default. Keys,\nheaders and other secrets are hidden.',
  options,
  example: 'oxbow config -C my-project -p fast',
};

const WIDEST_SETTING = 72;
const LONGEST_VALUE = 120;

/** Runs `oxbow config`, which prints each setting and its origin. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('config', options, argv);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  if (positionals.length > 0) throw new UsageError(`Unexpected "${positionals[0]}". See oxbow config --help.`);
  const { settings, warnings } = explainConfig({
    origins: ORIGINS,
    overrides: values.config ?? [],
    ...(values.profile === undefined ? {} : { profile: values.profile }),
    ...(values.cd === undefined ? {} : { cwd: values.cd }),
  });
  for (const warning of warnings) process.stderr.write(`warning: ${printable(warning)}\n`);
  const output = createOutput(() => {});
  output.write(values.json ? `${JSON.stringify(settings, null, 2)}\n` : formatSettings(settings));
  await output.end();
  return 0;
}

function formatSettings(settings: readonly ExplainedSetting[]): string {
  const rows = settings.map(({ key, value, origin }) => ({ left: `${key} = ${shorten(tomlText(value))}`, origin }));
  const width = Math.min(WIDEST_SETTING, Math.max(...rows.map(({ left }) => left.length)));
  return rows.map(({ left, origin }) => `${printable(`${left.padEnd(width)}  # ${origin}`)}\n`).join('');
}

/** Returns a value as config.toml would have it. */
function tomlText(value: unknown): string {
  if (value === null) return 'not set';
  if (Array.isArray(value)) return `[${value.map(tomlText).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${key} = ${tomlText(field)}`);
  return `{ ${fields.join(', ')} }`;
}

function shorten(text: string): string {
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
