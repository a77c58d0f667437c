import { join } from 'node:path';
import { findUserFolder } from '../../../config/home.ts';
import { ANY_KEY, type GatewayClient } from './client.ts';

export const cline: GatewayClient = {
  name: 'Cline',
  about: 'agent in VS Code',
  programs: [],
  model: 'needed',
  setup: ({ url, keyEnv, models: [model] }) => ({
    notes: [
      'In the settings of Cline (the gear in its panel):',
      'API Provider: OpenAI Compatible',
      `Base URL: ${url}/v1`,
      `API Key: ${keyEnv === undefined ? ANY_KEY : `the value of $${keyEnv}`}`,
      `Model ID: ${model}`,
    ],
  }),
};

export const continueDev: GatewayClient = {
  name: 'Continue',
  about: 'agent in VS Code and JetBrains',
  programs: [],
  model: 'needed',
  setup: ({ url, keyEnv, models }, env) => ({
    file: {
      path: join(findUserFolder(env), '.continue', 'config.yaml'),
      format: 'yaml',
      text: [...HEAD, ...models.flatMap((model) => modelLines(model, url, keyEnv))].join('\n'),
    },
    notes: [
      'In a file that is there already, add the entries of models only.',
      ...(keyEnv === undefined ? [] : [`Put the key into ~/.continue/.env, as ${keyEnv}.`]),
    ],
  }),
};

const HEAD = ['name: Local', 'version: 0.0.1', 'schema: v1', 'models:'];

/** Returns an entry of the list of models. Strings of JSON are strings of YAML. */
function modelLines(model: string, url: string, keyEnv: string | undefined): readonly string[] {
  const key = keyEnv === undefined ? JSON.stringify(ANY_KEY) : `\${{ secrets.${keyEnv} }}`;
  return [
    `  - name: ${JSON.stringify(`${model} (Oxbow)`)}`,
    '    provider: openai',
    `    model: ${JSON.stringify(model)}`,
    `    apiBase: ${JSON.stringify(`${url}/v1`)}`,
    `    apiKey: ${key}`,
  ];
}
