import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wholeText } from '../../../src/base/request-text.ts';
import { sse } from '../../../src/wire/framing/sse.ts';
import { DEFAULT_COMPAT } from '../../../src/wire.ts';
import { findWire } from '../quirks/find-wire.ts';
import { eachModel, type GatewayScene, startGatewayScene } from '../quirks/gateway-scene.ts';
import { readAnswer } from '../quirks/read-answer.ts';
import { writeAnswer } from '../quirks/write-answer.ts';
import { framesOf, type TextWire } from './frames.ts';
import { inputOf, REQUEST } from './request.ts';
import { CALLING_TEXTS, QUOTING_TEXTS, type QuotingText, shareOf } from './texts.ts';

/** Model names of the scene: the wire of the server, and its number of characters in a piece. */
const SERVERS = ['chat-1', 'chat-7', 'responses-1', 'responses-7'] as const;
const CLIENTS: readonly TextWire[] = ['chat', 'responses'];
const PATHS = { chat: '/v1/chat/completions', responses: '/v1/responses' };

let scene: GatewayScene;
let text = '';

beforeAll(async () => {
  scene = await startGatewayScene({
    targets: eachModel((model) => ({ wire: model.startsWith('chat') ? 'chat' : 'responses' })),
    answer({ body }, response) {
      const [wire, size] = String(body.model).split('-');
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const frames = framesOf(wire === 'chat' ? 'chat' : 'responses', pieces);
      const whole = writeAnswer(wire === 'chat' ? 'chat' : 'responses', { text }, body);
      const isStream = body.stream === true;
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : whole.type });
      response.end(isStream ? sse.write(frames) : whole.body);
    },
  });
});

afterAll(() => scene.close());

describe.each(CLIENTS)('a client of %s', (client) => {
  test.each(SERVERS)('gets quotations as text from %s', async (model) => {
    for (const quoting of shareOf(QUOTING_TEXTS, SERVERS.indexOf(model), SERVERS.length)) {
      for (const stream of [true, false]) {
        const { calls, ...answer } = await ask(client, { model, stream }, quoting);
        const expected = { calls: [], text: quoting.text, finish: 'stop', faults: [], repairs: [] };
        expect({ calls, ...answer }, `${quoting.name}, stream: ${stream}`).toEqual(expected);
      }
    }
  });

  test.each(SERVERS)('gets calls that were left in the text from %s', async (model) => {
    for (const calling of shareOf(CALLING_TEXTS, SERVERS.indexOf(model), SERVERS.length)) {
      for (const stream of [true, false]) {
        const { calls, finish, repairs } = await ask(client, { model, stream }, calling);
        const label = `${calling.name}, stream: ${stream}`;
        expect({ calls, finish }, label).toEqual({
          calls: [{ name: 'exec_command', arguments: { cmd: `touch ${calling.marker}` } }],
          finish: 'calls',
        });
        expect(repairs.join(), label).toMatch(/D\d/);
      }
    }
  });

  test.each(SERVERS)('gets no call from %s that it did not allow', async (model) => {
    const [calling] = CALLING_TEXTS;
    if (calling === undefined) throw new Error('There is no text.');
    const format = { type: 'json_object' };
    const forbids = [
      { tool_choice: 'none' },
      client === 'chat' ? { response_format: format } : { text: { format } },
      { tools: [] },
    ];
    for (const more of forbids) {
      for (const stream of [true, false]) {
        const { calls, text: said } = await ask(client, { model, stream, ...more }, calling);
        expect({ calls, text: said }, JSON.stringify({ ...more, stream })).toEqual({ calls: [], text: calling.text });
      }
    }
  });
});

async function ask(client: TextWire, fields: Readonly<Record<string, unknown>>, { text: answer, read }: QuotingText) {
  text = answer;
  const request = { ...REQUEST, input: inputOf(read) };
  const body = JSON.parse(wholeText(findWire(client).encodeRequest(request, DEFAULT_COMPAT)));
  const answered = await scene.ask(PATHS[client], { ...body, ...fields });
  const {
    calls,
    text: said,
    finish,
    faults,
  } = readAnswer(client, answered, { request, stream: fields.stream === true });
  return { calls, text: said, finish, faults, repairs: answered.repairs };
}
