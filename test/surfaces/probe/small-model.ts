import { isRecord } from '../../../src/base/json-schema.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A call of the small model. */
export interface SmallCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Fields;
}

/** An answer of the small model, before it has a form. */
export interface SmallAnswer {
  readonly text: string;
  readonly reasoning?: string;
  readonly calls: readonly SmallCall[];
}

/** Answers a chat request as a careful model would, as far as the probe and one turn of `exec` need it. */
export function smallModel(body: Fields, n: number): SmallAnswer {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isRecord) : [];
  const last = messages.at(-1) ?? {};
  const asked = textOf(messages.findLast(({ role }) => role === 'user')?.content);
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer');
  const mark = /word "(\w+)"/.exec(system.map(({ content }) => textOf(content)).join('\n'))?.[1];
  const say = (text: string): SmallAnswer => ({ text: mark === undefined ? text : `${mark} ${text}`, calls: [] });
  const call = (name: string, args: Fields, at = 0): SmallCall => ({ id: `call_${n}x${at}`, name, arguments: args });
  if (last.role === 'tool') return say('The sum is 5.');
  if (/which colou?r/i.test(asked)) return say('red');
  const names = toolNames(body);
  if (names.length === 0 || body.tool_choice === 'none') return say('pong');
  if (isRecord(body.tool_choice)) return { text: '', calls: [call('greet_person', { name: 'Ada' })] };
  if (/add_numbers twice/.test(asked)) {
    return { text: '', calls: [call('add_numbers', { a: 1, b: 2 }), call('add_numbers', { a: 3, b: 4 }, 1)] };
  }
  const note = /note = ("(?:[^"\\]|\\.)*")/.exec(asked)?.[1];
  if (/add_numbers once/.test(asked)) {
    return { text: '', calls: [call('add_numbers', { a: 2, b: 3, note: JSON.parse(note ?? '""') })] };
  }
  if (body.tool_choice === 'required') return { text: '', calls: [call('greet_person', { name: 'Ada' })] };
  if (/run it/i.test(asked))
    return { text: '', calls: [call('exec_command', { cmd: 'echo "probed & done" > probed.txt' })] };
  return say('pong');
}

/** Returns the names of the tools in a request. */
function toolNames({ tools }: Fields): readonly string[] {
  const list = Array.isArray(tools) ? tools.filter(isRecord) : [];
  return list.flatMap(({ function: one }) => (isRecord(one) ? [String(one.name)] : []));
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  return parts.map(({ text }) => String(text ?? '')).join('');
}

/** Returns the chunks of an answer as a server without quirks sends them. */
export function chunksOf({ text, reasoning = '', calls }: SmallAnswer, body: Fields): readonly Fields[] {
  const choice = (delta: Fields, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  const pieces = (whole: string) => whole.match(/.{1,7}/gs) ?? [];
  const asksForUsage = isRecord(body.stream_options) && body.stream_options.include_usage === true;
  return [
    choice({ role: 'assistant', content: '' }),
    ...pieces(reasoning).map((reasoning_content) => choice({ reasoning_content })),
    ...pieces(text).map((content) => choice({ content })),
    ...calls.flatMap((one, index) => [
      choice({
        tool_calls: [{ index, id: one.id, type: 'function', function: { name: one.name, arguments: '' } }],
      }),
      ...pieces(JSON.stringify(one.arguments)).map((piece) =>
        choice({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    choice({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    ...(asksForUsage ? [{ choices: [], usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 } }] : []),
  ].map((chunk) => ({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: body.model, ...chunk }));
}
