import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fault, gate, reply, say } from '../../../../src/testing/index.ts';
import type { WireName } from '../one-wire-model.ts';
import { requireInstalled } from './sdk.ts';
import { openStand, type Stand } from './stand.ts';

const SERVERS: readonly WireName[] = ['chat', 'responses', 'messages', 'ollama'];

const require = requireInstalled(['ollama']);
const { Ollama } = require ? require('ollama') : {};

describe.skipIf(require === undefined).each(SERVERS)('the package ollama with a %s server', (server) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(server);
  });
  afterAll(() => stand.close());

  const client = () => new Ollama({ host: stand.origin });

  test('the models are listed, and shown', async () => {
    const { models } = await client().list();
    expect(models).toContainEqual(expect.objectContaining({ name: 'scripted', model: 'scripted' }));
    const shown = await client().show({ model: 'scripted' });
    expect(shown.capabilities).toEqual(expect.arrayContaining(['completion', 'tools']));
    expect(shown.details).toBeDefined();
    expect(await client().version()).toMatchObject({ version: expect.any(String) });
    expect((await client().ps()).models).toEqual(expect.any(Array));
  });

  // A server of the same wire has a path of its own for prompts, which the scripted model has not.
  const complete = async () => {
    stand.play(reply(say('The sky is blue.')));
    const asked = { model: 'scripted', system: 'Be brief.', prompt: 'Which colour?' };
    const whole = await client().generate(asked);
    expect(whole).toMatchObject({ model: 'scripted', response: 'The sky is blue.', done: true, done_reason: 'stop' });
    expect(JSON.stringify(stand.requests[0]?.body)).toContain('Be brief.');
    stand.play(reply(say('The sky is blue.')));
    let text = '';
    for await (const part of await client().generate({ ...asked, stream: true })) text += part.response;
    expect(text).toBe('The sky is blue.');
  };
  if (server !== 'ollama') test('a prompt is completed', complete);

  test('the last part of a stream has the counts', async () => {
    stand.play(reply(say('Blue.')));
    const messages = [{ role: 'user', content: 'Which colour?' }];
    const parts: object[] = [];
    for await (const part of await client().chat({ model: 'scripted', messages, stream: true })) parts.push(part);
    expect(parts.at(-1)).toMatchObject({ done: true, done_reason: 'stop', prompt_eval_count: 100, eval_count: 20 });
    expect(parts.slice(0, -1).every((part) => 'done' in part && part.done === false)).toBe(true);
  });

  test('an error is a text with a status', async () => {
    const error = {
      message: 'There is no model of that name.',
      type: 'invalid_request_error',
      code: 'model_not_found',
    };
    stand.play(fault.status(404, { error }));
    const asking = client().chat({ model: 'scripted', messages: [{ role: 'user', content: 'Hello.' }] });
    await expect(asking).rejects.toMatchObject({
      status_code: 404,
      error: expect.stringContaining('There is no model of that name.'),
    });
  });

  test('abort ends the stream', async () => {
    stand.play(reply(say('One '), gate(new Promise(() => {}))));
    const ollama = client();
    const messages = [{ role: 'user', content: 'Count.' }];
    const reading = async () => {
      for await (const _ of await ollama.chat({ model: 'scripted', messages, stream: true })) ollama.abort();
    };
    await expect(reading()).rejects.toThrow(/abort/i);
  });
});
