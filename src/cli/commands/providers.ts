import type { KeySource } from '../../app/commands/key-source.ts';
import { listProviders, type ProviderRow } from '../../app/commands/list-providers.ts';
import { redactUrl } from '../../base/redact-url.ts';
import { loadConfig } from '../../config/load-config.ts';
import { formatHelp } from '../format-help.ts';
import { createOutput, print } from '../output.ts';
import { parseOptions, UsageError } from '../parse-options.ts';
import { formatColumns } from '../print/format-columns.ts';
import { ORIGINS } from '../wording.ts';

const options = {
  json: { type: 'boolean', help: 'Print a JSON array' },
  config: { type: 'string', short: 'c', multiple: true, value: 'KEY=VALUE', help: 'Override a setting of config.toml' },
  profile: { type: 'string', short: 'p', value: 'PROFILE', help: 'Use this profile' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow providers [options]',
  about: `Lists the providers of models, built-in ones and your own: whether there is a key, the wire and the address.
A star marks the configured one. No server is asked, and no key is shown.`,
  options,
  example: 'oxbow providers --json',
};

/** Runs `oxbow providers`, which lists the providers of models. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('providers', options, argv);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  const [more] = positionals;
  if (more !== undefined)
    throw new UsageError(`oxbow providers takes no "${more}". oxbow models PROVIDER lists the models of a provider.`);
  const { config: overrides = [], profile } = values;
  const rows = listProviders(
    loadConfig({ origins: ORIGINS, overrides, ...(profile === undefined ? {} : { profile }) }),
  );
  const output = createOutput(() => {});
  output.write(values.json ? `${JSON.stringify(rows.map(jsonOf), null, 2)}\n` : formatProviders(rows));
  await output.end();
  return 0;
}

/** The address is last: it is the longest, and may be wrapped. */
const HEAD = ['  id', 'key', 'wire', 'address'];

function formatProviders(rows: readonly ProviderRow[]): string {
  const cells = rows.map(({ id, baseUrl, wire, key, isChosen }) => [
    `${isChosen ? '*' : ' '} ${id}`,
    keyText(key),
    wire,
    baseUrl === null ? 'needs a base_url' : redactUrl(baseUrl),
  ]);
  return formatColumns([HEAD, ...cells]);
}

function keyText(key: KeySource): string {
  switch (key.kind) {
    case 'found':
      return `from ${key.where}`;
    case 'chatgpt':
      return `signed in with ChatGPT, ${key.where}`;
    case 'missing':
      return `${key.variable} not set`;
    case 'not needed':
      return 'not needed';
    case 'unreadable':
      return key.why;
  }
}

function jsonOf({ baseUrl, key, ...row }: ProviderRow) {
  const from = 'where' in key ? key.where : null;
  return { ...row, baseUrl: baseUrl === null ? null : redactUrl(baseUrl), key: { status: key.kind, from } };
}
