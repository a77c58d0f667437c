import { join } from 'node:path';
import { findUserFolder } from '../../../config/home.ts';
import { type GatewayClient, keyFor } from './client.ts';

export const pi: GatewayClient = {
  name: 'pi',
  about: 'coding agent for the terminal',
  programs: ['pi'],
  model: 'needed',
  setup(facts, env) {
    const folder = env.PI_CODING_AGENT_DIR || join(findUserFolder(env), '.pi', 'agent');
    const provider = {
      baseUrl: `${facts.url}/v1`,
      api: 'openai-completions',
      // Without a key pi does not offer the models.
      apiKey: keyFor(facts),
      models: facts.models.map((id) => ({ id })),
    };
    return {
      file: {
        path: join(folder, 'models.json'),
        format: 'json',
        entries: [{ path: ['providers', 'oxbow'], value: provider }],
      },
      notes: [`Start it with pi --provider oxbow --model ${facts.models[0]}, or choose the model with /model.`],
    };
  },
};
