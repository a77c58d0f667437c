import { type ExplainedSetting, explainConfig } from '../../config/explain-config.ts';
import { findHome, homeOrigin } from '../../config/home.ts';
import { printable } from '../../text/visible.ts';
import { tomlText } from '../config/toml-text.ts';
import { formatHelp } from '../format-help.ts';
import { createOutput, print } from '../output.ts';
import { didYouMean, parseOptions, UsageError } from '../parse-options.ts';
import { ORIGINS } from '../wording.ts';

const options = {
  json: { type: 'boolean', help: 'Print a JSON array of objects with key, value and origin' },
  config: { type: 'string', short: 'c', multiple: true, value: 'KEY=VALUE', help: 'Override a setting of config.toml' },
  profile: { type: 'string', short: 'p', value: 'PROFILE', help: 'Use this profile' },
  cd: { type: 'string', short: 'C', value: 'DIR', help: 'Show the configuration for this folder' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow config [get KEY | set KEY VALUE] [options]',
  about:
    'Prints every setting with its value and its origin: a file, a variable, the command line or the default. Keys,\nheaders and other secrets are hidden. get prints one value. set writes one into config.toml of the home and keeps the\ncomments there.',
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
  const [verb, ...words] = positionals;
  const sources = {
    origins: ORIGINS,
    overrides: values.config ?? [],
    ...(values.profile === undefined ? {} : { profile: values.profile }),
    ...(values.cd === undefined ? {} : { cwd: values.cd }),
  };
  if (verb === 'get') return (await import('../config/get.ts')).getSetting(words, sources, values.json ?? false);
  if (verb === 'set') return (await import('../config/set.ts')).writeSetting(words, sources);
  if (verb !== undefined)
    throw new UsageError(`Unexpected "${verb}".${didYouMean(verb, ['get', 'set'])} See oxbow config --help.`);
  const { settings, warnings } = explainConfig(sources);
  for (const warning of warnings) process.stderr.write(`warning: ${printable(warning)}\n`);
  const output = createOutput(() => {});
  output.write(values.json ? `${JSON.stringify(settings, null, 2)}\n` : `${homeLine()}${formatSettings(settings)}`);
  await output.end();
  return 0;
}

function homeLine(): string {
  return printable(`# home: ${findHome(process.env)} (${homeOrigin(process.env)})\n`);
}

function formatSettings(settings: readonly ExplainedSetting[]): string {
  const rows = settings.map(({ key, value, origin }) => ({ left: `${key} = ${shorten(tomlText(value))}`, origin }));
  const width = Math.min(WIDEST_SETTING, Math.max(...rows.map(({ left }) => left.length)));
  return rows.map(({ left, origin }) => `${printable(`${left.padEnd(width)}  # ${origin}`)}\n`).join('');
}

function shorten(text: string): string {
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
