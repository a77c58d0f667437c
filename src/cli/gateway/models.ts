import { loadConfig } from '../../config/load-config.ts';
import { printable } from '../../text/visible.ts';
import { createOutput } from '../output.ts';
import { formatColumns } from '../print/format-columns.ts';
import { parseVerb } from '../threads/parse-verb.ts';
import { chooseServer } from './choose-server.ts';
import { loadModelList } from './load-gateway.ts';
import { HELP_OPTION, readLoadOptions, serverOptions } from './options.ts';

const options = {
  json: { type: 'boolean', help: 'Print a JSON array' },
  ...serverOptions,
  ...HELP_OPTION,
} as const;

export const help = {
  usage: 'oxbow gateway models [options]',
  about: `Lists the models that clients of a gateway with these options may ask for: the names in [gateway], then those that the
server lists. Any other name is passed on to the server as it is.`,
  options,
  example: 'oxbow gateway models --provider ollama',
};

/** Runs `oxbow gateway models`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ command: 'gateway', name: 'models', takes: [], help }, argv);
  if (!read) return 0;
  const config = loadConfig(readLoadOptions(read.values));
  const { upstream, notes } = await chooseServer(read.values, config);
  for (const note of notes) process.stderr.write(`${printable(note)}\n`);
  const { listGatewayModels } = await loadModelList();
  const models = await listGatewayModels(config, upstream);
  const output = createOutput(() => {});
  if (read.values.json) output.write(`${JSON.stringify(models, null, 2)}\n`);
  else if (models.length === 0) process.stderr.write('The server lists no models. Clients may still name one.\n');
  else output.write(formatColumns([['model', 'provider'], ...models.map(({ id, provider }) => [id, provider])]));
  await output.end();
  return 0;
}
