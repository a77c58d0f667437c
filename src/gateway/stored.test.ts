import { describe, expect, onTestFinished, test } from 'vitest';
import type { ResponseStore } from '../base/response-store.ts';
import { reply, type ScriptedModel, say, startScriptedModel } from '../testing/index.ts';
import { eventsIn } from './test-answer.ts';
import { ask, startTestGateway } from './test-gateway.ts';

async function startModel(): Promise<ScriptedModel> {
  const model = await startScriptedModel([reply(say('Blue.')), reply(say('Green.')), reply(say('Red.'))]);
  onTestFinished(() => model.close());
  return model;
}

const BROKEN: ResponseStore = {
  put: () => Promise.reject(new Error('the disk is full')),
  get: () => Promise.reject(new Error('the disk is gone')),
  delete: async () => false,
};

const CASES = (['chat', 'responses'] as const).flatMap((wire) => [true, false].map((stream) => ({ wire, stream })));

describe.each(CASES)('a response of a $wire server with stream $stream', ({ wire, stream }) => {
  const bodyOf = (text: string) => (stream ? eventsIn(text).at(-1)?.response : JSON.parse(text)) as { id: string };
  const idOf = (text: string) => bodyOf(text).id;

  test('can be continued, more than once', async () => {
    const model = await startModel();
    const { url } = await startTestGateway(model.url, { wire });
    const post = (fields: object) => ask(`${url}/v1/responses`, { model: 'alias', stream, ...fields });
    const first = idOf((await post({ input: 'A colour?', instructions: 'Be brief.' })).text);
    const second = idOf((await post({ input: 'Another?', previous_response_id: first })).text);
    await post({ input: [{ role: 'user', content: 'A third?' }], previous_response_id: second });
    const sent = JSON.stringify(model.requests[2]?.body.messages ?? model.requests[2]?.body.input);
    const said = ['A colour?', 'Blue.', 'Another?', 'Green.', 'A third?'].map((text) => sent.indexOf(text));
    expect(said).not.toContain(-1);
    expect(said).toEqual([...said].sort((a, b) => a - b));
    expect(sent).not.toContain('Be brief.');
    expect(model.requests[2]?.body).not.toHaveProperty('previous_response_id');
  });

  test('can be read again, with its input, until it is deleted', async () => {
    const model = await startModel();
    const { url } = await startTestGateway(model.url, { wire });
    const { text } = await ask(`${url}/v1/responses`, { model: 'alias', stream, input: 'A colour?' });
    const id = idOf(text);
    expect(JSON.parse((await ask(`${url}/v1/responses/${id}`)).text)).toEqual(bodyOf(text));
    const { data } = JSON.parse((await ask(`${url}/v1/responses/${id}/input_items`)).text);
    expect(data).toMatchObject([{ type: 'message', role: 'user', content: [{ text: 'A colour?' }] }]);
    const deleted = await ask(`${url}/v1/responses/${id}`, undefined, { method: 'DELETE' });
    expect(JSON.parse(deleted.text)).toEqual({ id, object: 'response', deleted: true });
    expect((await ask(`${url}/v1/responses/${id}`)).status).toBe(404);
  });

  test('is stored before the client has its end', async () => {
    const model = await startModel();
    let store = (): void => {};
    let isStored = false;
    const stored = new Promise<void>((resolve) => {
      store = resolve;
    });
    const slow: ResponseStore = {
      async put() {
        await stored;
        isStored = true;
      },
      get: async () => undefined,
      delete: async () => false,
    };
    const { url } = await startTestGateway(model.url, { wire }, { store: slow });
    const answered = ask(`${url}/v1/responses`, { model: 'alias', stream, input: 'A colour?' }).then(({ text }) => {
      expect(isStored).toBe(true);
      return text;
    });
    await model.waitForRequest(1).then(({ ended }) => ended);
    store();
    expect(bodyOf(await answered)).toMatchObject({ status: 'completed' });
  });

  test('is sent even if it cannot be stored, and the log says so', async () => {
    const model = await startModel();
    const { url, report } = await startTestGateway(model.url, { wire }, { store: BROKEN });
    const { status, text } = await ask(`${url}/v1/responses`, { model: 'alias', stream, input: 'A colour?' });
    expect([status, bodyOf(text)]).toMatchObject([200, { status: 'completed' }]);
    expect((await report()).error).toBe('The response could not be kept: the disk is full.');
  });

  test('is not stored when the client says so', async () => {
    const model = await startModel();
    const { url } = await startTestGateway(model.url, { wire });
    const { text } = await ask(`${url}/v1/responses`, { model: 'alias', stream, store: false, input: 'A colour?' });
    expect((await ask(`${url}/v1/responses/${idOf(text)}`)).status).toBe(404);
  });
});

describe('an unknown response', () => {
  test('is an error where the server cannot know it either', async () => {
    const model = await startModel();
    const { url } = await startTestGateway(model.url, { wire: 'chat' });
    const { status, text } = await ask(`${url}/v1/responses`, {
      model: 'alias',
      input: 'x',
      previous_response_id: 'resp_x',
    });
    expect(status).toBe(404);
    expect(JSON.parse(text).error).toMatchObject({
      code: 'previous_response_not_found',
      param: 'previous_response_id',
    });
    expect(model.requests).toEqual([]);
  });

  test('cannot be looked for in a store that fails', async () => {
    const model = await startModel();
    const { url } = await startTestGateway(model.url, { wire: 'chat' }, { store: BROKEN });
    const { status, text } = await ask(`${url}/v1/responses`, {
      model: 'alias',
      input: 'x',
      previous_response_id: 'resp_x',
    });
    expect([status, JSON.parse(text).error.code]).toEqual([500, 'internal_error']);
    expect((await ask(`${url}/v1/responses/resp_x`)).status).toBe(500);
    expect(model.requests).toEqual([]);
  });

  test('is left to a server that may know it', async () => {
    const model = await startModel();
    const { url } = await startTestGateway(model.url, { wire: 'responses' });
    await ask(`${url}/v1/responses`, { model: 'alias', input: 'x', previous_response_id: 'resp_x' });
    expect(model.requests[0]?.body).toMatchObject({ input: 'x', previous_response_id: 'resp_x' });
  });
});
