import { expect, onTestFinished, test } from 'vitest';
import { reply, say, startScriptedModel } from '../testing/index.ts';
import { requestFor, type TestedWire } from './test-answer.ts';
import { ask, startTestGateway } from './test-gateway.ts';

const SEARCH = { type: 'web_search_20250305', name: 'web_search', max_uses: 8 };
const OWN = { name: 'weather', input_schema: { type: 'object' } };

/** Sends a request of the messages wire with tools to a server of some wire. */
async function send(wire: TestedWire, fields: object) {
  const model = await startScriptedModel(() => reply(say('Sunny, I suppose.')));
  onTestFinished(() => model.close());
  const base = wire === 'ollama' ? model.url.replace('/v1', '/api') : model.url;
  const { url, report } = await startTestGateway(base, { wire });
  const { status, text } = await ask(`${url}/v1/messages`, requestFor('messages', { stream: true, ...fields }));
  return { status, text, report: await report(), bodies: model.requests.map(({ body }) => body) };
}

const DEMAND = { type: 'tool', name: 'web_search' };

test.each(['chat', 'ollama'] as const)(
  'a request that demands a search is refused where the %s server has none, since the model would invent results',
  async (wire) => {
    const { status, text, bodies } = await send(wire, { tools: [SEARCH], tool_choice: DEMAND });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({
      error: {
        type: 'invalid_request_error',
        message: 'The server of this model has no web_search, and the request demands it.',
        details: { error_code: 'unsupported_tool' },
      },
    });
    expect(bodies).toEqual([]);
  },
);

test('a search among other tools is left out, and the log says so', async () => {
  const { status, report, bodies } = await send('chat', { tools: [SEARCH, OWN] });
  expect(status).toBe(200);
  expect(report.adaptations).toContain('H6');
  expect(bodies[0]?.tools).toMatchObject([{ type: 'function', function: { name: 'weather' } }]);
});

test('a server with a search gets the demand in its own form', async () => {
  const { bodies } = await send('responses', { tools: [SEARCH], tool_choice: DEMAND });
  expect(bodies[0]).toMatchObject({ tools: [{ type: 'web_search' }], tool_choice: 'required' });
  const other = await send('responses', { tools: [SEARCH, OWN], tool_choice: DEMAND });
  expect(other.bodies[0]).toMatchObject({ tool_choice: 'auto' });
  const own = await send('responses', { tools: [SEARCH, OWN], tool_choice: { type: 'tool', name: 'weather' } });
  expect(own.bodies[0]).toMatchObject({ tool_choice: { type: 'function', name: 'weather' } });
});
