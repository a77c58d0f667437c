import { type Ask, type Sdk, WEATHER } from './sdk.ts';

/** Anthropic's own package, with a loop of our own around it. */
export const ANTHROPIC: Sdk = {
  name: '@anthropic-ai/sdk',
  packages: ['@anthropic-ai/sdk'],
  load(require) {
    const { Anthropic } = require('@anthropic-ai/sdk');
    return async (origin, ask) => {
      const client = new Anthropic({ apiKey: 'client-key', baseURL: origin, maxRetries: 0 });
      const messages: object[] = [{ role: 'user', content: content(ask) }];
      let thought = '';
      for (;;) {
        const answer: Message = await send(client, { ...fieldsOf(ask), messages }, ask);
        thought += answer.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join('');
        const calls = answer.content.filter((block) => block.type === 'tool_use');
        if (calls.length === 0) return { text: textOf(answer), thought, ...tokensOf(answer) };
        messages.push({ role: 'assistant', content: answer.content });
        messages.push({ role: 'user', content: calls.map((call) => resultOf(call, ask)) });
      }
    };
  },
};

interface Message {
  readonly content: readonly Block[];
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | Call;

interface Call {
  readonly type: 'tool_use';
  readonly id: string;
  readonly input: { readonly city: string };
}

function content({ prompt, image }: Ask): readonly object[] {
  const source = { type: 'base64', media_type: 'image/png', data: image };
  return [{ type: 'text', text: prompt }, ...(image === undefined ? [] : [{ type: 'image', source }])];
}

function fieldsOf({ weather, schema, thinks }: Ask): object {
  const { name, description, parameters } = WEATHER;
  return {
    model: 'scripted',
    max_tokens: 4096,
    ...(weather && { tools: [{ name, description, input_schema: parameters }] }),
    ...(schema && { output_config: { format: { type: 'json_schema', schema } } }),
    ...(thinks && { thinking: { type: 'enabled', budget_tokens: 2000 } }),
  };
}

function send(client: ReturnType<NodeJS.Require>, fields: object, { stream, signal, onText }: Ask): Promise<Message> {
  if (!stream) return client.messages.create(fields, { signal });
  const events = client.messages.stream(fields, { signal });
  if (onText) events.on('text', onText);
  return events.finalMessage();
}

function resultOf({ id, input }: Call, { weather }: Ask): object {
  return { type: 'tool_result', tool_use_id: id, content: weather?.(input.city) ?? '' };
}

function textOf(answer: Message): string {
  return answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function tokensOf({ usage }: Message) {
  return { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens };
}
