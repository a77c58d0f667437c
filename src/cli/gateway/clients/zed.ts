import { join } from 'node:path';
import { findUserFolder } from '../../../config/home.ts';
import { type GatewayClient, keyFor } from './client.ts';

/** Tokens that a model is said to accept. Zed wants a number and does not ask the server. */
const WINDOW = 131_072;

export const zed: GatewayClient = {
  name: 'Zed',
  about: 'editor with an agent panel',
  programs: ['zed', 'zeditor'],
  model: 'needed',
  setup(facts, env) {
    const folder = join(env.XDG_CONFIG_HOME || join(findUserFolder(env), '.config'), 'zed');
    const models = facts.models.map((model) => ({ name: model, display_name: model, max_tokens: WINDOW }));
    return {
      file: {
        path: join(folder, 'settings.json'),
        format: 'json',
        entries: [
          {
            path: ['language_models', 'openai_compatible', 'Oxbow'],
            value: { api_url: `${facts.url}/v1`, available_models: models },
          },
        ],
      },
      // Zed derives the name of the variable from that of the provider.
      variables: { OXBOW_API_KEY: keyFor(facts) },
      notes: ['max_tokens is the window of the model: correct it if yours has another one.'],
    };
  },
};
