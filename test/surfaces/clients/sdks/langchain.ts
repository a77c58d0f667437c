import { type Ask, type Sdk, WEATHER } from './sdk.ts';

/** An integration of LangChain: its model at an address, for a question. */
interface Integration {
  readonly name: string;
  readonly package: string;
  readonly lacks?: Sdk['lacks'];
  model(integration: ReturnType<NodeJS.Require>, origin: string, ask: Ask): ReturnType<NodeJS.Require>;
}

const COMMON = { model: 'scripted', apiKey: 'client-key', maxRetries: 0 };

const INTEGRATIONS: readonly Integration[] = [
  {
    name: '@langchain/anthropic',
    package: '@langchain/anthropic',
    lacks: ['late usage'],
    model: ({ ChatAnthropic }, origin, { thinks }) =>
      new ChatAnthropic({
        ...COMMON,
        anthropicApiUrl: origin,
        maxTokens: 4096,
        ...(thinks && { thinking: { type: 'enabled', budget_tokens: 2000 } }),
      }),
  },
  {
    name: '@langchain/openai, responses',
    package: '@langchain/openai',
    lacks: ['memory', 'failed stream'],
    model: ({ ChatOpenAI }, origin, { thinks }) =>
      new ChatOpenAI({
        ...COMMON,
        // Only names of OpenAI's models may think. The gateway has another model for them.
        model: 'gpt-5.5',
        useResponsesApi: true,
        configuration: { baseURL: `${origin}/v1` },
        ...(thinks && { reasoning: { effort: 'high', summary: 'auto' }, zdrEnabled: true }),
      }),
  },
  {
    name: '@langchain/openai, chat',
    package: '@langchain/openai',
    lacks: ['reasoning'],
    model: ({ ChatOpenAI }, origin) => new ChatOpenAI({ ...COMMON, configuration: { baseURL: `${origin}/v1` } }),
  },
  {
    name: '@langchain/ollama',
    package: '@langchain/ollama',
    lacks: ['memory', 'cancellation'],
    model: ({ ChatOllama }, origin, { thinks }) =>
      new ChatOllama({ ...COMMON, baseUrl: origin, ...(thinks && { think: true }) }),
  },
];

/** LangChain with each of its integrations. */
export const LANGCHAINS: readonly Sdk[] = INTEGRATIONS.map((integration) => ({
  name: `LangChain, ${integration.name}`,
  packages: ['@langchain/core', integration.package],
  lacks: integration.lacks ?? [],
  load(require) {
    const messages = require('@langchain/core/messages');
    const installed = require(integration.package);
    return async (origin, ask) => {
      const model = integration.model(installed, origin, ask);
      return ask.schema ? inSchema(model, messages, ask, ask.schema) : talk(model, messages, ask);
    };
  },
}));

type Messages = ReturnType<NodeJS.Require>;

async function inSchema(model: ReturnType<NodeJS.Require>, messages: Messages, ask: Ask, schema: object) {
  const titled = { title: 'answer', ...schema };
  const structured = model.withStructuredOutput(titled, { includeRaw: true, method: 'jsonSchema' });
  const { parsed, raw } = await structured.invoke([question(messages, ask)]);
  return { text: JSON.stringify(parsed), thought: '', ...tokensOf(raw) };
}

async function talk(model: ReturnType<NodeJS.Require>, messages: Messages, ask: Ask) {
  const { name, description, parameters: schema } = WEATHER;
  const bound = ask.weather ? model.bindTools([{ name, description, schema }]) : model;
  const history = [question(messages, ask)];
  let thought = '';
  for (;;) {
    const answer = await (ask.stream ? streamed(bound, history, ask) : bound.invoke(history, { signal: ask.signal }));
    thought += thoughtIn(answer);
    const calls: readonly { readonly id: string; readonly args: { readonly city: string } }[] = answer.tool_calls ?? [];
    if (calls.length === 0) return { text: answer.text as string, thought, ...tokensOf(answer) };
    history.push(answer);
    for (const { id, args } of calls) {
      history.push(new messages.ToolMessage({ tool_call_id: id, name, content: ask.weather?.(args.city) ?? '' }));
    }
  }
}

function question({ HumanMessage }: Messages, { prompt, image }: Ask) {
  const picture =
    image === undefined ? [] : [{ type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } }];
  return new HumanMessage({ content: [{ type: 'text', text: prompt }, ...picture] });
}

async function streamed(model: ReturnType<NodeJS.Require>, history: readonly unknown[], { signal, onText }: Ask) {
  let all: ReturnType<NodeJS.Require>;
  for await (const chunk of await model.stream(history, { signal })) {
    if (chunk.text !== '') onText?.();
    all = all === undefined ? chunk : all.concat(chunk);
  }
  return all;
}

function thoughtIn(answer: ReturnType<NodeJS.Require>): string {
  const blocks: readonly { readonly type: string; readonly reasoning?: string }[] = answer.contentBlocks;
  return blocks.map(({ type, reasoning = '' }) => (type === 'reasoning' ? reasoning : '')).join('');
}

function tokensOf({ usage_metadata: usage }: ReturnType<NodeJS.Require>) {
  return { inputTokens: usage?.input_tokens, outputTokens: usage?.output_tokens };
}
