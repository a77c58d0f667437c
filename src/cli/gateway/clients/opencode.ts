import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Env, findUserFolder } from '../../../config/home.ts';
import { type ClientEntry, type GatewayClient, type GatewayFacts, objectOf } from './client.ts';

export const opencode: GatewayClient = {
  name: 'opencode',
  about: 'coding agent for the terminal',
  programs: ['opencode'],
  model: 'needed',
  setup: (facts, env) => ({ file: { path: fileIn(env), format: 'json', entries: entriesFor(facts) } }),
  launch: ({ file }) => ({
    variables: { OPENCODE_CONFIG_CONTENT: JSON.stringify(file?.format === 'json' ? objectOf(file.entries) : {}) },
  }),
};

/** Returns the file that opencode reads: either name will do. */
function fileIn(env: Env): string {
  const folder = join(env.XDG_CONFIG_HOME || join(findUserFolder(env), '.config'), 'opencode');
  const commented = join(folder, 'opencode.jsonc');
  return existsSync(commented) ? commented : join(folder, 'opencode.json');
}

function entriesFor({ url, keyEnv, models }: GatewayFacts): readonly ClientEntry[] {
  const options = { baseURL: `${url}/v1`, ...(keyEnv === undefined ? {} : { apiKey: `{env:${keyEnv}}` }) };
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    name: 'Oxbow',
    options,
    models: Object.fromEntries(models.map((model) => [model, { name: model }])),
  };
  return [
    { path: ['model'], value: `oxbow/${models[0]}` },
    { path: ['provider', 'oxbow'], value: provider },
  ];
}
