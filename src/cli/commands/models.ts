import { assertProvider, type KnownModel, listKnownModels } from '../../app/commands/list-models.ts';
import { ModelError } from '../../base/errors.ts';
import { loadConfig } from '../../config/load-config.ts';
import { printable } from '../../text/visible.ts';
import { formatHelp } from '../format-help.ts';
import { createOutput, print } from '../output.ts';
import { didYouMean, parseOptions, UsageError } from '../parse-options.ts';
import { formatColumns } from '../print/format-columns.ts';
import { ORIGINS, worded } from '../wording.ts';

const options = {
  json: { type: 'boolean', help: 'Print a JSON array' },
  config: { type: 'string', short: 'c', multiple: true, value: 'KEY=VALUE', help: 'Override a setting of config.toml' },
  profile: { type: 'string', short: 'p', value: 'PROFILE', help: 'Use this profile' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow models [options] [PROVIDER]',
  about: `Asks the server of a provider for its models, and shows what is known about them: the tokens that they accept at
once, the most tokens of a response, the kinds of input, the reasoning efforts, and the price of a million tokens of
input and output in US dollars. Without PROVIDER, asks the configured one. oxbow providers lists all.`,
  options,
  threadAfter: { models: 'providers' } as const,
  example: 'oxbow models openrouter',
};

/** Runs `oxbow models`, which lists the models of a provider. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('models', options, argv);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  if (positionals.length > 1) throw new UsageError(`oxbow models takes one provider, not ${positionals.length}.`);
  const { config: overrides = [], profile } = values;
  const config = loadConfig({ origins: ORIGINS, overrides, ...(profile === undefined ? {} : { profile }) });
  const [id = config.modelProvider] = positionals;
  assertProvider(config, id, (ids) => `${didYouMean(id, ids)} oxbow providers lists all.`);
  const models = await attempt(() => listKnownModels(config, id));
  if (models === undefined) return 1;
  const chosen = id === config.modelProvider ? config.model : null;
  const output = createOutput(() => {});
  if (values.json) output.write(`${JSON.stringify(models, null, 2)}\n`);
  else if (models.length === 0) process.stderr.write(`The server of ${id} lists no models.\n`);
  else output.write(formatModels(models, chosen));
  await output.end();
  return 0;
}

/** Returns undefined for a server that lists no models, after a sentence about its failure. */
async function attempt<T>(list: () => Promise<T>): Promise<T | undefined> {
  try {
    return await list();
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    process.stderr.write(`oxbow: ${printable(worded(error))}\n`);
    return undefined;
  }
}

const HEAD = ['  model', 'window', 'output', 'input', 'efforts', 'price'];

function formatModels(models: readonly KnownModel[], chosen: string | null): string {
  const cells = models.map(({ id, contextWindow, maxOutputTokens, input, reasoningEfforts, price }) => [
    `${id === chosen ? '*' : ' '} ${id}`,
    countText(contextWindow),
    countText(maxOutputTokens),
    input?.join(' ') ?? '-',
    reasoningEfforts?.join(' ') ?? '-',
    price === undefined ? '-' : `$${price.input} / $${price.output}`,
  ]);
  return formatColumns([HEAD, ...cells]);
}

function countText(tokens: number | undefined): string {
  return tokens === undefined ? '-' : tokens.toLocaleString('en-US');
}
