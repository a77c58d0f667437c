import { type Ask, type Sdk, WEATHER } from './sdk.ts';

/** A provider of the AI SDK: its model at an address, and its options for a model that thinks. */
interface Provider {
  readonly name: string;
  readonly package: string;
  readonly lacks?: Sdk['lacks'];
  model(provider: ReturnType<NodeJS.Require>, origin: string): unknown;
  readonly thinking: object;
}

const KEY = 'client-key';

const PROVIDERS: readonly Provider[] = [
  {
    name: '@ai-sdk/anthropic',
    package: '@ai-sdk/anthropic',
    model: ({ createAnthropic }, origin) => createAnthropic({ apiKey: KEY, baseURL: `${origin}/v1` })('scripted'),
    thinking: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2000 } } },
  },
  {
    name: '@ai-sdk/openai, responses',
    package: '@ai-sdk/openai',
    model: ({ createOpenAI }, origin) => createOpenAI({ apiKey: KEY, baseURL: `${origin}/v1` }).responses('scripted'),
    thinking: {
      openai: {
        forceReasoning: true,
        reasoningEffort: 'high',
        reasoningSummary: 'auto',
        store: false,
        include: ['reasoning.encrypted_content'],
      },
    },
  },
  {
    name: '@ai-sdk/openai, chat',
    package: '@ai-sdk/openai',
    lacks: ['reasoning'],
    model: ({ createOpenAI }, origin) => createOpenAI({ apiKey: KEY, baseURL: `${origin}/v1` }).chat('scripted'),
    thinking: {},
  },
  {
    name: '@ai-sdk/openai-compatible',
    package: '@ai-sdk/openai-compatible',
    lacks: ['signature'],
    model: ({ createOpenAICompatible }, origin) =>
      createOpenAICompatible({
        name: 'oxbow',
        apiKey: KEY,
        baseURL: `${origin}/v1`,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })('scripted'),
    thinking: { oxbow: { reasoningEffort: 'high' } },
  },
];

/** The Vercel AI SDK with each of its providers. */
export const AI_SDKS: readonly Sdk[] = PROVIDERS.map((provider) => ({
  name: `the AI SDK, ${provider.name}`,
  packages: ['ai', provider.package],
  lacks: provider.lacks ?? [],
  load(require) {
    const ai = require('ai');
    const installed = require(provider.package);
    return async (origin, ask) => {
      const options = optionsOf(ai, provider, ask);
      const model = provider.model(installed, origin);
      return ask.stream
        ? streamed(ai, { ...options, model }, ask)
        : whole(await ai.generateText({ ...options, model }));
    };
  },
}));

function optionsOf(
  { tool, jsonSchema, stepCountIs, Output }: ReturnType<NodeJS.Require>,
  { thinking }: Provider,
  ask: Ask,
) {
  const { prompt, image, weather, schema, thinks, signal } = ask;
  const picture = image === undefined ? [] : [{ type: 'image', image, mediaType: 'image/png' }];
  const execute = async ({ city }: { readonly city: string }) => weather?.(city);
  const { name, description, parameters } = WEATHER;
  return {
    messages: [{ role: 'user', content: [{ type: 'text', text: prompt }, ...picture] }],
    maxRetries: 0,
    stopWhen: stepCountIs(5),
    abortSignal: signal,
    ...(weather && { tools: { [name]: tool({ description, inputSchema: jsonSchema(parameters), execute }) } }),
    ...(schema && { output: Output.object({ schema: jsonSchema(schema) }) }),
    ...(thinks && { providerOptions: thinking }),
  };
}

async function streamed({ streamText }: ReturnType<NodeJS.Require>, options: object, { onText }: Ask) {
  let failure: unknown;
  const onError = ({ error }: { readonly error: unknown }) => {
    failure ??= error;
  };
  const result = streamText({ ...options, onError });
  try {
    for await (const _ of result.textStream) onText?.();
    const answer = await whole(result);
    if (failure === undefined) return answer;
  } catch (error) {
    failure ??= error;
  }
  throw failure;
}

/** Reads a result, whose members are promises in the case of a stream. */
async function whole(result: ReturnType<NodeJS.Require>) {
  const [text, usage, steps] = await Promise.all([result.text, result.usage, result.steps]);
  const thoughts = (steps as readonly { readonly reasoningText?: string }[]).map(
    ({ reasoningText = '' }) => reasoningText,
  );
  return { text, thought: thoughts.join(''), inputTokens: usage.inputTokens, outputTokens: usage.outputTokens };
}
