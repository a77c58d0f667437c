import { join } from 'node:path';
import { findUserFolder } from '../../../config/home.ts';
import { valueText } from '../../../config/set-table.ts';
import { keyText } from '../../../config/setting/key-text.ts';
import type { ClientEntry, GatewayClient, GatewayFacts } from './client.ts';

/** Provider of Codex that stands for the gateway. */
const PROVIDER = ['model_providers', 'oxbow'];

export const codex: GatewayClient = {
  name: 'Codex',
  about: 'coding agent of OpenAI',
  programs: ['codex'],
  model: 'optional',
  setup: (facts, env) => ({
    file: {
      path: join(env.CODEX_HOME || join(findUserFolder(env), '.codex'), 'config.toml'),
      format: 'toml',
      entries: entriesFor(facts),
    },
  }),
  launch: ({ file }) => ({
    args: file?.format === 'toml' ? file.entries.flatMap(flagsFor) : [],
    variables: {},
  }),
};

function entriesFor({ url, keyEnv, models: [model] }: GatewayFacts): readonly ClientEntry[] {
  const table = {
    name: 'Oxbow',
    base_url: `${url}/v1`,
    wire_api: 'responses',
    supports_websockets: false,
    ...(keyEnv === undefined ? {} : { env_key: keyEnv }),
  };
  return [
    ...(model === undefined ? [] : [{ path: ['model'], value: model }]),
    { path: ['model_provider'], value: 'oxbow' },
    { path: PROVIDER, value: table },
  ];
}

function flagsFor({ path, value }: ClientEntry): string[] {
  if (typeof value !== 'object') return ['-c', `${keyText(path)}=${valueText(value)}`];
  return Object.entries(value).flatMap(([key, one]) => ['-c', `${keyText([...path, key])}=${valueText(one)}`]);
}
