import { expect, onTestFinished, test } from 'vitest';
import { call, reply, say, startScriptedModel, think } from '../testing/index.ts';
import { eventsIn, requestFor } from './test-answer.ts';
import { ask, startTestGateway } from './test-gateway.ts';

interface AnsweredItem {
  readonly type: string;
  readonly summary?: readonly { readonly text: string }[];
  readonly content?: readonly { readonly text: string }[] | null;
  readonly encrypted_content?: string | null;
}

/** Returns the items that a client of the Responses wire gets from a chat server that thinks and calls. */
async function answer(stream: boolean, fields: object) {
  const model = await startScriptedModel([
    reply(think('', { raw: 'I look at the sky.' }), call('weather', { city: 'Bern' }, { callId: 'call_1' })),
    reply(say('Sunny.')),
  ]);
  onTestFinished(() => model.close());
  const { url } = await startTestGateway(model.url, { wire: 'chat' });
  const { text } = await ask(`${url}/v1/responses`, requestFor('responses', { stream, ...fields }));
  const body = stream ? eventsIn(text).at(-1)?.response : JSON.parse(text);
  const { output } = body as { readonly output: readonly AnsweredItem[] };
  return { model, url, output, text };
}

const STATELESS = { store: false, include: ['reasoning.encrypted_content'] };

test.each([true, false])(
  'reasoning is sealed for a client that asks for it, and can be sent back (stream: %s)',
  async (stream) => {
    const { model, url, output } = await answer(stream, STATELESS);
    const [thought, called] = output;
    expect(thought).toMatchObject({ type: 'reasoning', summary: [{ text: 'I look at the sky.' }] });
    expect(thought?.encrypted_content).toMatch(/^oxbow:sealed:/);
    // A client that keeps no summary sends only the sealed text back.
    const kept = { type: 'reasoning', summary: [], encrypted_content: thought?.encrypted_content };
    const input = [
      { type: 'message', role: 'user', content: 'Hello' },
      kept,
      called,
      { type: 'function_call_output', call_id: 'call_1', output: 'blue' },
    ];
    await ask(`${url}/v1/responses`, requestFor('responses', { ...STATELESS, input }));
    expect(model.requests[1]?.body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', reasoning_content: 'I look at the sky.', tool_calls: [{ id: 'call_1' }] },
      { role: 'tool', content: 'blue' },
    ]);
  },
);

test.each([true, false])('a client that asks for a summary gets one (stream: %s)', async (stream) => {
  const { output } = await answer(stream, { reasoning: { effort: 'high', summary: 'auto' } });
  expect(output[0]).toMatchObject({ type: 'reasoning', summary: [{ text: 'I look at the sky.' }] });
});

test.each([true, false])('other clients get the reasoning as it is (stream: %s)', async (stream) => {
  const { output } = await answer(stream, {});
  expect(output[0]).toMatchObject({ type: 'reasoning', summary: [], content: [{ text: 'I look at the sky.' }] });
});
