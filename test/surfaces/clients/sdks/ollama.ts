import { type Ask, type Sdk, WEATHER } from './sdk.ts';

/** The package of Ollama, with a loop of our own around it. */
export const OLLAMA: Sdk = {
  name: 'ollama',
  packages: ['ollama'],
  lacks: ['signature'],
  load(require) {
    const { Ollama } = require('ollama');
    return async (origin, ask) => {
      const client = new Ollama({ host: origin, fetch: fetchUntil(ask.signal) });
      const messages: object[] = [question(ask)];
      let thought = '';
      for (;;) {
        const answer = await send(client, { ...fieldsOf(ask), messages }, ask);
        const { content, thinking = '', tool_calls = [] } = answer.message;
        thought += thinking;
        if (tool_calls.length === 0) return { text: content, thought, ...tokensOf(answer) };
        messages.push(answer.message);
        for (const { function: called } of tool_calls) {
          const told = ask.weather?.(called.arguments.city) ?? '';
          messages.push({ role: 'tool', tool_name: called.name, content: told });
        }
      }
    };
  },
};

interface Part {
  readonly message: Message;
  readonly prompt_eval_count?: number;
  readonly eval_count?: number;
}

interface Message {
  readonly role: string;
  readonly content: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly Call[];
}

interface Call {
  readonly function: { readonly name: string; readonly arguments: { readonly city: string } };
}

/** Returns a `fetch` that the signal of a question ends, because the package has no signal for one request. */
function fetchUntil(signal: AbortSignal | undefined): typeof fetch {
  return (url, init) => {
    const signals = [signal, init?.signal].filter((one) => one !== undefined && one !== null);
    return fetch(url, { ...init, signal: AbortSignal.any(signals) });
  };
}

function question({ prompt, image }: Ask): object {
  return { role: 'user', content: prompt, ...(image !== undefined && { images: [image] }) };
}

function fieldsOf({ weather, schema, thinks }: Ask): object {
  return {
    model: 'scripted',
    ...(weather && { tools: [{ type: 'function', function: WEATHER }] }),
    ...(schema && { format: schema }),
    ...(thinks && { think: true }),
  };
}

async function send(client: ReturnType<NodeJS.Require>, fields: object, { stream, onText }: Ask): Promise<Part> {
  if (!stream) return client.chat({ ...fields, stream: false });
  let all: Part | undefined;
  for await (const part of await client.chat({ ...fields, stream: true })) {
    if (part.message.content !== '') onText?.();
    all = { ...part, message: joined(all?.message, part.message) };
  }
  if (all === undefined) throw new Error('The stream was empty.');
  return all;
}

function joined(before: Message | undefined, { role, content, thinking = '', tool_calls = [] }: Message): Message {
  return {
    role,
    content: `${before?.content ?? ''}${content}`,
    thinking: `${before?.thinking ?? ''}${thinking}`,
    tool_calls: [...(before?.tool_calls ?? []), ...tool_calls],
  };
}

function tokensOf({ prompt_eval_count, eval_count }: Part) {
  return { inputTokens: prompt_eval_count, outputTokens: eval_count };
}
