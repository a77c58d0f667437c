import { join } from 'node:path';
import { findUserFolder } from '../../../config/home.ts';
import { ANY_KEY, type ClientVariables, type GatewayClient, type GatewayFacts, keyFor } from './client.ts';

const TOKEN = 'ANTHROPIC_AUTH_TOKEN';

export const claude: GatewayClient = {
  name: 'Claude Code',
  about: 'coding agent of Anthropic',
  programs: ['claude'],
  model: 'optional',
  setup(facts, env) {
    const path = join(env.CLAUDE_CONFIG_DIR || join(findUserFolder(env), '.claude'), 'settings.json');
    // The file cannot refer to a variable, and keys do not belong into files.
    const inFile = { ...addressFor(facts), ...(facts.keyEnv === undefined ? { [TOKEN]: ANY_KEY } : {}) };
    const entries = Object.entries(inFile).map(([name, value]) => ({ path: ['env', name], value }));
    return {
      file: { path, format: 'json', entries },
      ...(facts.keyEnv === undefined ? {} : { variables: { [TOKEN]: keyFor(facts) } }),
      notes: ['Unset ANTHROPIC_API_KEY, which Claude Code may prefer.'],
    };
  },
  launch({ file, variables = {} }) {
    const inFile = file?.format === 'json' ? file.entries.map(({ path, value }) => [path.at(-1), value]) : [];
    const all: ClientVariables = { ...Object.fromEntries(inFile), ...variables };
    // The variables of the user's settings count more than those of the environment, so they are settings here too.
    return { variables: { ...all, ANTHROPIC_API_KEY: '' }, settings: { flag: '--settings', value: { env: all } } };
  },
};

/** Returns the address without /v1, which Claude Code adds, and one model for all that it asks for. */
function addressFor({ url, models: [model] }: GatewayFacts): ClientVariables {
  if (model === undefined) return { ANTHROPIC_BASE_URL: url };
  const names = ['ANTHROPIC_MODEL', ...['OPUS', 'SONNET', 'HAIKU'].map((tier) => `ANTHROPIC_DEFAULT_${tier}_MODEL`)];
  return { ANTHROPIC_BASE_URL: url, ...Object.fromEntries(names.map((name) => [name, model])) };
}
