import { type ClientVariables, type GatewayClient, type GatewayFacts, keyFor, withVariables } from './client.ts';

const openAi = (facts: GatewayFacts): ClientVariables => ({
  OPENAI_BASE_URL: `${facts.url}/v1`,
  OPENAI_API_KEY: keyFor(facts),
});

// Clients of Anthropic add /v1 themselves.
const anthropic = (facts: GatewayFacts): ClientVariables => ({
  ANTHROPIC_BASE_URL: facts.url,
  ANTHROPIC_API_KEY: keyFor(facts),
});

/** Returns the name for clients with LiteLLM inside, which finds the protocol by the beginning of the name. */
const asOpenAi = ([model]: GatewayFacts['models']) => `openai/${model}`;

export const openaiSdk: GatewayClient = {
  name: 'OpenAI SDK',
  about: 'libraries of OpenAI, and programs that use them',
  programs: [],
  model: 'unused',
  setup: (facts) => ({ variables: openAi(facts) }),
  launch: withVariables,
};

export const anthropicSdk: GatewayClient = {
  name: 'Anthropic SDK',
  about: 'libraries of Anthropic, and programs that use them',
  programs: [],
  model: 'unused',
  setup: (facts) => ({ variables: anthropic(facts) }),
  launch: withVariables,
};

export const ollama: GatewayClient = {
  name: 'Ollama',
  about: 'the ollama command, and programs for its server',
  programs: ['ollama'],
  model: 'unused',
  sendsNoKey: true,
  setup: ({ url, keyEnv }) => ({
    variables: { OLLAMA_HOST: url },
    ...(keyEnv === undefined
      ? {}
      : { notes: [`The ollama command sends no key. Libraries send OLLAMA_API_KEY: set it to $${keyEnv}.`] }),
  }),
  launch: withVariables,
};

export const aider: GatewayClient = {
  name: 'aider',
  about: 'pair programmer for the terminal',
  programs: ['aider'],
  model: 'needed',
  setup: (facts) => ({
    variables: {
      OPENAI_API_BASE: `${facts.url}/v1`,
      OPENAI_API_KEY: keyFor(facts),
      AIDER_MODEL: asOpenAi(facts.models),
    },
  }),
  launch: withVariables,
};

export const openhands: GatewayClient = {
  name: 'OpenHands',
  about: 'software agent for the terminal',
  programs: ['openhands'],
  model: 'needed',
  setup: (facts) => ({
    variables: {
      LLM_BASE_URL: `${facts.url}/v1`,
      LLM_API_KEY: keyFor(facts),
      LLM_MODEL: asOpenAi(facts.models),
    },
    notes: ['Start it with openhands --override-with-envs, without which it ignores these variables.'],
  }),
  launch: ({ variables = {} }) => ({ args: ['--override-with-envs'], variables }),
};

/** Any program. It gets the variables that libraries and programs read most often. */
export const anyProgram: GatewayClient = {
  name: 'any program',
  about: 'variables of the usual libraries',
  programs: [],
  model: 'unused',
  setup: (facts) => ({
    variables: {
      ...openAi(facts),
      OPENAI_API_BASE: `${facts.url}/v1`,
      ...anthropic(facts),
      OLLAMA_HOST: facts.url,
      OLLAMA_API_KEY: keyFor(facts),
    },
  }),
  launch: withVariables,
};
